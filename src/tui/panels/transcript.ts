import type { Entry, ShownConversation, View } from '../../view/index.ts';
import { findConversation } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { listAgentPlaces } from '../screen/agent-lines.ts';
import { fullLines } from '../screen/full-lines.ts';
import { spoken, styled } from '../screen/layout.ts';
import type { Panel, ScreenState } from '../state.ts';
import { paint, parseAnsi, showLine, truncate } from '../text/index.ts';
import { fill, footLines } from './layout.ts';
import { keepLines, openLines } from './zoom.ts';

export type TranscriptPanel = Extract<Panel, { kind: 'transcript' }>;

export interface TranscriptDrawn {
  readonly lines: readonly string[];
  /** Where each prompt begins. */
  readonly prompts: readonly number[];
  /** Rows of the conversation on the screen. */
  readonly page: number;
  /** How far it scrolls. */
  readonly most: number;
  /** The first row on the screen. */
  readonly from: number;
}

/** The whole conversation in lines; entries that were drawn before are not drawn again. */
export function drawTranscript(
  panel: TranscriptPanel,
  { view, rows }: ScreenState,
  around: Drawing,
): TranscriptDrawn {
  const { agentId, cache, earlier, find } = panel;
  const agent = agentId === null ? undefined : view.agents.get(agentId);
  const drawing = agent ? { ...around, places: listAgentPlaces(agent, around) } : around;
  const conversation = findConversation(view, agentId);
  const lines: string[] = [];
  const prompts: number[] = [];
  for (const entry of listEntries(earlier, conversation)) {
    const drawn = keepLines(entry, cache, drawing, () => fullLines(entry, find, drawing));
    if (entry.kind === 'prompt') prompts.push(lines.length);
    for (const line of drawn) lines.push(line);
  }
  if (conversation) lines.push(...openLines(view, { id: agentId ?? '', conversation }, cache, drawing));
  const page = Math.max(1, rows - chromeRows);
  const most = Math.max(0, lines.length - page);
  return { lines, prompts, page, most, from: Math.min(panel.down ?? most, most) };
}

/** Head and foot. */
const chromeRows = 5;

function listEntries(
  earlier: readonly Entry[],
  conversation: ShownConversation | undefined,
): readonly Entry[] {
  const held = conversation?.entries ?? [];
  return earlier.length === 0 ? held : [...earlier, ...held];
}

export function transcriptLines(
  panel: TranscriptPanel,
  state: ScreenState,
  height: number,
  drawing: Drawing,
): string[] {
  const { lines, page, from } = drawTranscript(panel, state, drawing);
  const { query = '', isTyping, said } = panel;
  const place =
    lines.length > page ? ` · ${from + 1}–${Math.min(from + page, lines.length)} of ${lines.length}` : '';
  const title = spoken(drawing, `${nameConversation(panel, state.view)}${place}`);
  const search = isTyping ? `Search: ${showLine(query, 100, 'prose')}` : (said ?? '');
  const head = [
    styled(drawing, 'heading', truncate(title, drawing.width)),
    styled(drawing, isTyping ? 'info' : 'warning', truncate(search, drawing.width)),
  ];
  const shown = lines.slice(from, from + page).map((line) => markFound(line, query, drawing));
  const foot = footLines(explainTranscriptKeys(panel), state, drawing, 1);
  return [...fill([...head, ...shown], height - foot.length, drawing), ...foot];
}

function nameConversation({ agentId }: TranscriptPanel, { agents }: View): string {
  const agent = agentId === null ? undefined : agents.get(agentId);
  return agent ? `Transcript of ${showLine(`${agent.type} ${agent.description}`, 100)}` : 'Transcript';
}

function explainTranscriptKeys({ isTyping, query }: TranscriptPanel): string {
  if (isTyping) return 'return searches · esc ends the search';
  if (query) return 'n next · N previous · / searches · up and down scroll · esc ends the search';
  return '/ searches · [ ] prompts · up and down scroll · esc goes back';
}

/** The rows that contain the text, whatever its case. */
export function findMatches(lines: readonly string[], query: string): number[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return [];
  return lines.flatMap((line, at) => (readPlain(line).toLowerCase().includes(wanted) ? [at] : []));
}

function markFound(line: string, query: string, { theme }: Drawing): string {
  const plain = query === '' ? '' : readPlain(line);
  const at = query === '' ? -1 : plain.toLowerCase().indexOf(query.toLowerCase());
  if (at < 0) return line;
  const end = at + query.length;
  return plain.slice(0, at) + paint(theme.styles.selection, plain.slice(at, end)) + plain.slice(end);
}

function readPlain(line: string): string {
  return parseAnsi(line)
    .map(({ text }) => text)
    .join('');
}
