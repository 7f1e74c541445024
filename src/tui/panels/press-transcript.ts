import { type Entry, findConversation, prependRecords } from '../../view/index.ts';
import type { Desk } from '../desk.ts';
import { readEarlier } from '../earlier.ts';
import type { Key } from '../keys/key.ts';
import type { FindFull } from '../screen/full-lines.ts';
import type { Panel } from '../state.ts';
import { indexCalls } from './full-calls.ts';
import { findAgentTranscript } from './open-zoom.ts';
import { drawTranscript, findMatches, type TranscriptPanel } from './transcript.ts';
import { emptyLineCache } from './zoom.ts';

/** How much of a stored conversation is read. */
const maxBytes = 16 * 1024 * 1024;
const maxQuery = 200;

/** Opens a conversation with nothing left out, at its end. */
export function openTranscript(desk: Desk, agentId: string | null = null, under?: Panel): void {
  const { entries, find } = readConversation(desk, agentId);
  const held = agentId === null ? desk.app.state.view.lead.entries.length : entries.length;
  desk.open({
    kind: 'transcript',
    agentId,
    down: null,
    earlier: entries.slice(0, Math.max(0, entries.length - held)),
    find,
    cache: emptyLineCache(),
    ...(under ? { under } : {}),
  });
}

/** All entries of a conversation, with its calls as they are stored. */
export function readConversation(
  desk: Desk,
  agentId: string | null,
): { entries: readonly Entry[]; find: FindFull } {
  const { view } = desk.app.state;
  const { transcriptPath } = desk.session.info();
  const path = agentId === null ? transcriptPath : findAgentTranscript(desk, agentId);
  const records = path === null ? [] : readEarlier(path, maxBytes);
  const entries =
    agentId === null
      ? prependRecords(view, records).lead.entries
      : (findConversation(view, agentId)?.entries ?? []);
  return { entries, find: indexCalls(records) };
}

export function pressTranscript(desk: Desk, panel: TranscriptPanel, key: Key): void {
  if (panel.isTyping) return void typeQuery(desk, panel, key);
  const letters = key.name === 'text' ? [...(key.text ?? '')] : [];
  if (letters.length > 1) return void pressEach(desk, letters, key);
  const { said: _, ...open } = panel;
  const { from, most, page, prompts } = draw(desk, panel);
  const go = (to: number) => {
    const at = Math.min(Math.max(0, to), most);
    desk.open({ ...open, down: at >= most ? null : at });
  };
  const leap = Math.max(1, page - 1);
  const steps: Record<string, number> = {
    ...{ up: -1, down: 1, pageup: -leap, pagedown: leap, home: -most, end: most },
    ...{ ' ': leap, g: -most, G: most, k: -1, j: 1 },
  };
  const name = key.name === 'text' && !key.ctrl && !key.alt ? (key.text ?? '') : key.name;
  const by = key.ctrl ? undefined : steps[name];
  if (by !== undefined) return void go(from + by);
  if (key.ctrl && key.name === 'o') return void leaveTranscript(desk, panel);
  switch (name) {
    case 'q':
      return void leaveTranscript(desk, panel);
    case '/':
      return void desk.open({ ...open, query: '', isTyping: true });
    case 'n':
    case 'N':
      return void findNext(desk, panel, name === 'n' ? 1 : -1);
    case '[':
      return void go(prompts.findLast((at) => at < from) ?? 0);
    case ']':
      return void go(prompts.find((at) => at > from) ?? most);
  }
}

/** Keys that arrived together: a search may begin with one of them. */
function pressEach(desk: Desk, letters: readonly string[], key: Key): void {
  for (const text of letters) {
    const { panel } = desk.app.state;
    if (panel?.kind === 'transcript') pressTranscript(desk, panel, { ...key, text });
  }
}

export function leaveTranscript(desk: Desk, { under }: TranscriptPanel): void {
  if (under) desk.open(under);
  else desk.app.closePanel();
}

/** Escape in a search ends it; anything else stays open. */
export function endSearch(desk: Desk, { query: _, isTyping: __, ...open }: TranscriptPanel): void {
  desk.open(open);
}

function typeQuery(desk: Desk, panel: TranscriptPanel, key: Key): void {
  const { query = '', isTyping: _, ...open } = panel;
  if (key.name === 'return') {
    if (query === '') return void desk.open(open);
    return void findNext(desk, { ...open, query }, 1, true);
  }
  if (key.name === 'backspace') return void desk.open({ ...panel, query: [...query].slice(0, -1).join('') });
  if (key.ctrl && key.name === 'u') return void desk.open({ ...panel, query: '' });
  if (key.name === 'text' && !key.ctrl && !key.alt && key.text) pasteQuery(desk, panel, key.text);
}

/** Pasted text is searched for as well. */
export function pasteQuery(desk: Desk, panel: TranscriptPanel, text: string): void {
  if (!panel.isTyping) return;
  const [line = ''] = text.split('\n');
  desk.open({ ...panel, query: `${panel.query ?? ''}${line}`.slice(0, maxQuery) });
}

/** From what is on the screen, and around the end. The newest match is the first one found. */
function findNext(desk: Desk, panel: TranscriptPanel, by: 1 | -1, isFirst = false): void {
  const { query = '' } = panel;
  if (query === '') return;
  const { lines, from, most } = draw(desk, panel);
  const found = findMatches(lines, query);
  if (found.length === 0)
    return void desk.open({ ...panel, said: `"${query}" is not in this conversation.` });
  const current = panel.match ?? (isFirst ? from - 1 : from);
  const next =
    by > 0
      ? (found.find((at) => at > current) ?? found[0] ?? 0)
      : (found.findLast((at) => at < current) ?? found.at(-1) ?? 0);
  const down = Math.min(Math.max(0, next - contextRows), most);
  const said = `Line ${found.indexOf(next) + 1} of ${found.length} with "${query}"`;
  desk.open({ ...panel, down, match: next, said });
}

/** Rows above a match. */
const contextRows = 3;

function draw({ app }: Desk, panel: TranscriptPanel) {
  return drawTranscript(panel, app.state, app.drawing());
}
