import type { CallState, ShownCall } from '../../view/index.ts';
import { formatDuration } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { saidNo } from '../questions/field.ts';
import {
  renderDiff,
  renderOutput,
  type StyleName,
  shortenPlaces,
  showControls,
  showLine,
  truncate,
  width,
  wrap,
} from '../text/index.ts';
import { agentEndLines } from './agent-lines.ts';
import { hang, sign, styled } from './layout.ts';

const resultLines = 8;
const diffLines = 40;
/** A key that shows what is left out. */
export const opens = ' (ctrl-o opens)';

/** A call and its result. While it runs, the end of its output. */
export function callLines(call: ShownCall, drawing: Drawing): string[] {
  // An agent shows its own name.
  if (call.agents.length > 0)
    return [
      ...call.agents.flatMap((agent) => agentEndLines(agent, drawing)),
      ...edgeLines(remarkLines(call, drawing), drawing),
    ];
  return [callHead(call, drawing), ...bodyLines(call, drawing)];
}

const marks: Readonly<Record<CallState, readonly [glyph: string, word: string, style: StyleName]>> = {
  waiting: ['○', 'Waiting:', 'dim'],
  asking: ['?', 'Asks:', 'warning'],
  running: ['●', 'Running:', 'accent'],
  done: ['●', 'Tool', 'success'],
  failed: ['✗', 'Failed:', 'error'],
  denied: ['✗', 'Denied:', 'warning'],
  lost: ['○', 'Interrupted:', 'dim'],
};

export function callHead(call: ShownCall, drawing: Drawing): string {
  const [glyph, word, style] = marks[call.state];
  const signed = sign(drawing, glyph, word);
  const mark = styled(drawing, style, signed);
  const title = titles[call.toolName] ?? showLine(call.toolName, 80);
  const name = styled(drawing, 'strong', title);
  const end = describeEnd(call, drawing);
  const room = drawing.width - width(signed) - width(title) - end.length - 3;
  const words = isCommand(call) ? call.summary : shortenPlaces(summarise(call), drawing.places);
  const summary = words === '' ? '' : ` ${truncate(showLine(words, 600), Math.max(8, room))}`;
  return `${mark}${name}${summary}${end === '' ? '' : styled(drawing, 'dim', ` ${end}`)}`;
}

/** Calls that are questions to the user, or for the user to read: named by what they are. */
const titles: Readonly<Record<string, string>> = {
  AskUserQuestion: 'Question',
  EnterPlanMode: 'Plan mode',
  ExitPlanMode: 'Plan',
  TodoWrite: 'To-do list',
};

function summarise({ toolName, summary, input }: ShownCall): string {
  if (toolName !== 'AskUserQuestion' || summary !== '' || !Array.isArray(input.questions)) return summary;
  return input.questions.flatMap(readQuestion).join(' · ');
}

function readQuestion(one: unknown): string[] {
  const text: unknown = typeof one === 'object' && one !== null ? Reflect.get(one, 'question') : undefined;
  return typeof text === 'string' ? [text] : [];
}

/** Shown as it runs, so it can be typed again anywhere. */
function isCommand({ input }: ShownCall): boolean {
  return typeof input.command === 'string';
}

/** The note after it: that it had no result, or how long it took. Short times are not shown. */
function describeEnd({ state, startedAt, durationMs }: ShownCall, { now, plain }: Drawing): string {
  if (state === 'lost') return plain ? '' : '· interrupted';
  const ms = state === 'running' ? now - startedAt : (durationMs ?? 0);
  return ms >= 2_000 ? formatDuration(ms) : '';
}

function bodyLines(call: ShownCall, drawing: Drawing): string[] {
  const { denial, diff, result, progress } = call;
  const said = remarkLines(call, drawing);
  // The question about it shows it.
  if (diff && call.state !== 'asking') return [...edgeLines(said, drawing), ...changeLines(call, drawing)];
  if ((call.state === 'running' || call.state === 'waiting') && progress !== '')
    return [...edgeLines(said, drawing), ...outputLines({ text: progress }, 4, 'tail', drawing)];
  if (!result || denial !== null) return edgeLines(said, drawing);
  if (call.state === 'done' && quiet.has(call.toolName)) return edgeLines(said, drawing);
  if (call.state === 'failed' && !isCommand(call) && isSentence(result.text))
    return [...edgeLines(said, drawing), ...edgeLines(sentenceLines(result.text, drawing), drawing)];
  return [...edgeLines(said, drawing), ...outputLines(result, resultLines, 'both', drawing)];
}

/** Remarks on the call that do not come from its tool. */
export function remarkLines({ denial, verdict, hooks }: ShownCall, drawing: Drawing): string[] {
  const said = (style: StyleName, text: string) =>
    wrap(showLine(text, 500), Math.max(10, drawing.width - 4)).map((line) => styled(drawing, style, line));
  return [
    ...(denial === null ? [] : said('warning', describeDenial(denial))),
    ...(verdict ? said('dim', `judged: ${verdict.behaviour}, ${verdict.reason}`) : []),
    ...hooks.flatMap((hook) => said('dim', `hook: ${hook}`)),
  ];
}

/** The agent reads "the user said no"; the user reads the same as "you". */
function describeDenial(denial: string): string {
  return denial.startsWith(saidNo) ? `You said no${denial.slice(saidNo.length)}` : `denied: ${denial}`;
}

/** Their results are for the model; the user only sees that they ran. */
const quiet: ReadonlySet<string> = new Set([
  'Read',
  'Glob',
  'Grep',
  'LS',
  'TodoWrite',
  'Edit',
  'Write',
  'NotebookEdit',
  'Skill',
  'EnterPlanMode',
  'ExitPlanMode',
]);

/** Why a tool refused: our own words, wrapped between them. */
function isSentence(text: string): boolean {
  return text.length <= 600 && !text.trim().includes('\n');
}

function sentenceLines(text: string, drawing: Drawing): string[] {
  const lines = wrap(showControls(text.trim(), 'prose'), Math.max(10, drawing.width - 4));
  return lines.map((line) => styled(drawing, 'removed', line));
}

function outputLines(
  { text, lines: allLines }: { text: string; lines?: number },
  maxLines: number,
  keep: 'tail' | 'both',
  drawing: Drawing,
): string[] {
  if (text.trim() === '') return [];
  const { width: cells, theme } = drawing;
  const lines = renderOutput(text.replace(/[ \t\r\n]+$/, ''), {
    width: Math.max(10, cells - 4),
    theme,
    maxLines,
    keep,
    allLines,
    hint: opens,
  });
  return edgeLines(lines, drawing);
}

/** A change, up to so many lines. */
export function changeLines({ diff }: ShownCall, drawing: Drawing, maxLines = diffLines): string[] {
  if (!diff) return [];
  const { width: cells, theme, highlighter } = drawing;
  const { hunks, path, omitted } = diff;
  const lines = renderDiff(
    { hunks: hunks.map(asHunk) },
    {
      ...{ width: Math.max(20, cells - 4), theme, path, maxLines },
      ...(highlighter ? { highlighter } : {}),
    },
  );
  const more = omitted > 0 ? [styled(drawing, 'dim', `… ${omitted} more lines`)] : [];
  return edgeLines([...lines, ...more], drawing);
}

function asHunk({ oldStart, newStart, lines }: NonNullable<ShownCall['diff']>['hunks'][number]) {
  const count = (other: string) => lines.filter((line) => !line.startsWith(other)).length;
  return { oldStart, newStart, oldLines: count('+'), newLines: count('-'), lines: [...lines] };
}

export function edgeLines(lines: readonly string[], drawing: Drawing): string[] {
  const bar = drawing.plain ? '  ' : styled(drawing, 'border', '  │ ');
  return hang(lines, bar, bar);
}
