import { formatTime } from '../../lib/text/duration.ts';
import type { Live, LiveBlock, ShownCall, View, Wait } from '../../view/index.ts';
import { agentRows, formatDuration } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { showControls, showLine, truncate } from '../text/index.ts';
import { agentRow } from './agent-lines.ts';
import { callLines } from './call-lines.ts';
import { pieceLines } from './entry-lines.ts';
import { hangText, sign, spoken, styled } from './layout.ts';

/** The part of a streaming answer that is not written yet. */
export interface Rest {
  readonly markdown: string;
  readonly joins: boolean;
}

/** The lead's running work: drawn again whenever it changes. */
export function liveLines(view: View, rest: Rest | undefined, drawing: Drawing, isAsking = false): string[] {
  const { live } = view.lead;
  return [
    ...(rest ? pieceLines(rest, drawing) : []),
    ...blockGroup(live.blocks, drawing),
    ...callBlock(view, live.calls, drawing),
    ...hookLines(live, drawing),
    ...workLines(view, isAsking, drawing),
  ];
}

/** The number of agent rows that can be read at a glance. */
const maxRows = 12;

/** Agents are grouped, each in a row; other calls are separate. */
export function callBlock(view: View, calls: readonly ShownCall[], drawing: Drawing): string[] {
  const started = calls.filter((call) => call.toolName === 'Agent');
  const few = started.length <= maxRows;
  const lines: string[] = [];
  for (const [index, call] of calls.entries()) {
    if (call.toolName === 'Agent' && !few) continue;
    if (calls[index - 1]?.toolName !== 'Agent' || call.toolName !== 'Agent') lines.push('');
    lines.push(...runningCall(view, call, drawing));
  }
  return few ? lines : [...lines, '', ...crowd(view, started, drawing)];
}

/** Of many agents, the running ones first, and the rest as numbers. */
function crowd(view: View, calls: readonly ShownCall[], drawing: Drawing): string[] {
  const open = calls.filter(({ agents }) => agents.length === 0);
  const working = open.filter(({ state }) => state !== 'waiting');
  const shown = working.slice(0, maxRows).flatMap((call) => runningCall(view, call, drawing));
  const more = Math.max(0, working.length - maxRows);
  const waiting = open.length - working.length;
  const words = [
    `${more} more running`,
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    `${calls.length - open.length} back`,
  ].join(', ');
  return [...shown, styled(drawing, 'dim', truncate(`  … ${words} (ctrl-t to view)`, drawing.width))];
}

/** A call that started agents is shown by its running agents. */
function runningCall(view: View, call: ShownCall, drawing: Drawing): string[] {
  const rows = call.agents.length > 0 || call.toolName !== 'Agent' ? [] : agentRows(view, call.id);
  return rows.length > 0 ? rows.map((agent) => agentRow(agent, drawing)) : callLines(call, drawing);
}

const maxBlocks = 5;

/** The calls the model is writing; of many, only the number. */
export function blockGroup(blocks: readonly LiveBlock[], drawing: Drawing): string[] {
  const calls = blocks.filter(({ kind }) => kind === 'call');
  if (calls.length <= maxBlocks) return blocks.flatMap((block) => blockLines(block, drawing));
  const words = `${sign(drawing, '○', 'Writing calls:')}${calls.length} calls`;
  return [
    ...blocks.filter(({ kind }) => kind !== 'call').flatMap((block) => blockLines(block, drawing)),
    '',
    styled(drawing, 'dim', words),
  ];
}

/** Text reaches the screen separately, piece by piece. */
function blockLines(block: LiveBlock, drawing: Drawing): string[] {
  if (block.kind === 'text') return [];
  if (block.kind === 'thinking') {
    const last = showControls(block.text.slice(-400), 'prose').trimEnd().split('\n').at(-1) ?? '';
    const line = `${sign(drawing, '∴', 'Thinking:')}${last}`;
    return ['', styled(drawing, 'dim', truncate(line, drawing.width))];
  }
  if (block.kind !== 'call') return [];
  const size = block.size > 200 ? ` ${block.size} characters` : '';
  return [
    '',
    styled(drawing, 'dim', `${sign(drawing, '○', 'Writing a call:')}${showLine(block.toolName, 80)}${size}`),
  ];
}

/** Wrapped, not cut: the time that is left comes first, and the advice about a long wait last. */
export function waitLines(wait: Wait, drawing: Drawing): string[] {
  const text = spoken(drawing, describeWait(wait, drawing));
  const lines = hangText(text, sign(drawing, '◌', 'Waits:'), drawing);
  return lines.map((line) => styled(drawing, 'warning', line));
}

function describeWait(wait: Wait, { now }: Drawing): string {
  if (wait.kind === 'compaction') return 'compacting the conversation';
  const left = formatDuration(Math.max(0, wait.until - now));
  const reason = showLine(wait.reason, 200);
  if (wait.kind === 'suspended')
    return `${left} left, suspended until ${formatTime(wait.until, now)}: ${reason} · for another model: esc, then /model`;
  return wait.kind === 'retry'
    ? `retrying in ${left}, attempt ${wait.attempt} failed: ${reason}`
    : `waiting ${left}: ${reason}`;
}

function hookLines({ hooks }: Live, drawing: Drawing): string[] {
  return hooks.map((hook) =>
    styled(
      drawing,
      'dim',
      truncate(`${sign(drawing, '◌', 'Hook:')}${showLine(hook.status ?? hook.name, 200)}`, drawing.width),
    ),
  );
}

const todosShown = 6;

/** The lead's current activity, if any. */
function workLines({ session, questions }: View, isAsking: boolean, drawing: Drawing): string[] {
  if (session.runStartedAt === null) return [];
  const open = session.todos.filter(({ status }) => status !== 'completed');
  const rows = open.slice(0, todosShown).map(({ status, content, activeForm }) => {
    const now = status === 'in_progress';
    const text = truncate(showLine(now ? activeForm || content : content, 200), drawing.width - 8);
    return styled(
      drawing,
      now ? 'text' : 'dim',
      `  ${now ? sign(drawing, '▸', 'now:') : sign(drawing, '·', 'then:')}${text}`,
    );
  });
  const seconds = formatDuration(Math.max(0, drawing.now - session.runStartedAt));
  const mark = sign(drawing, '✻', '');
  // Set aside, a question still holds up the turn.
  const isWaiting = isAsking || questions.some(({ isBackground }) => !isBackground);
  const doing = isWaiting ? 'waiting for your answer' : 'working';
  // A question has the keys: esc is for it.
  const words = `${doing} · ${seconds}${isAsking ? '' : ' · esc to stop'}`;
  const line = truncate(`${mark}${spoken(drawing, words)}`, drawing.width);
  return ['', styled(drawing, isWaiting ? 'warning' : 'accent', line), ...rows];
}
