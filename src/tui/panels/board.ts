import { isOpen, mapBlockers } from '../../team/board/links.ts';
import type { ShownBoard, ShownItem, View } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { pointer, spoken, styled } from '../screen/layout.ts';
import { paintName } from '../screen/team-lines.ts';
import { stateMarks, type WorkState } from '../screen/work-table.ts';
import type { Panel } from '../state.ts';
import { pad, showControls, showLine, truncate, width, wrap } from '../text/index.ts';

type BoardPanel = Extract<Panel, { kind: 'board' }>;

export const boardKeys = 'return opens · up and down choose · esc goes back';

/** All items in columns: state, id, subject, owner, what blocks it. */
export function boardLines(
  view: View,
  { selected }: BoardPanel,
  drawing: Drawing,
): { lines: string[]; at: number } {
  const { board } = view.team;
  const items = listItems(board);
  if (items.length === 0) return { lines: emptyLines(drawing), at: 0 };
  const at = findItem(items, selected);
  const blockers = mapBlockers(items);
  const inner = { ...drawing, width: drawing.width - 2 };
  const columns = measureItems(items, blockers, inner);
  const rows = items.map((item, index) => {
    const mark = styled(drawing, 'accent', pointer(index === at, drawing));
    return mark + itemLine(view, item, blockers.get(item.id) ?? [], columns, inner);
  });
  return { lines: [headLine(board, blockers, drawing), '', ...rows], at: at + 2 };
}

interface Columns {
  readonly state: number;
  /** 0: no room. What an item is says more than its id. */
  readonly id: number;
  readonly subject: number;
  readonly owner: number;
}

/** Owner and blockers follow the subjects closely; a narrow screen leaves out the ids. */
function measureItems(
  items: readonly ShownItem[],
  blockers: ReadonlyMap<string, readonly string[]>,
  { width: room }: Drawing,
): Columns {
  const longest = (read: (item: ShownItem) => string) => Math.max(...items.map((item) => width(read(item))));
  const state = longest((item) => stateWord(item, blockers));
  const owner = Math.min(
    24,
    longest(({ owner }) => showLine(owner ?? '', 24)),
  );
  const natural = longest(({ subject }) => showLine(subject, 200));
  const ids = longest(({ id }) => showLine(id, 20));
  const left = room - 2 - state - owner - 2 * gap.length;
  const id = left - ids - gap.length >= Math.min(natural, minSubject) ? ids : 0;
  const rest = left - (id === 0 ? 0 : id + gap.length);
  const wanted = blockers.size > 0 ? Math.max(minSubject, Math.floor(rest * 0.6)) : rest;
  return { state, id, owner, subject: Math.max(8, Math.min(natural, wanted, rest)) };
}

const minSubject = 24;
/** Less of what blocks an item says nothing. */
const minAfter = 14;
const gap = '  ';

/** Open ones first: what a board is read for. */
export function listItems({ items }: ShownBoard): ShownItem[] {
  return [...items.filter(isOpen), ...items.filter((item) => !isOpen(item))];
}

export function findItem(items: readonly ShownItem[], selected: string | null): number {
  return Math.max(
    0,
    items.findIndex(({ id }) => id === selected),
  );
}

function emptyLines(drawing: Drawing): string[] {
  const words = 'The board is empty. Agents add items with TaskCreate; you can with cadre board add.';
  return [
    styled(drawing, 'heading', 'Board'),
    '',
    ...wrap(words, drawing.width).map((line) => styled(drawing, 'dim', line)),
  ];
}

function headLine({ items }: ShownBoard, blockers: ReadonlyMap<string, unknown>, drawing: Drawing): string {
  const count = (status: string) => items.filter((item) => item.status === status).length;
  const parts = [
    `${count('in_progress')} in progress`,
    `${count('pending') - blockers.size} to do`,
    ...(blockers.size > 0 ? [`${blockers.size} blocked`] : []),
    `${count('completed')} done`,
  ];
  const words = spoken(drawing, `Board · ${parts.join(', ')}`);
  return styled(drawing, 'heading', truncate(words, drawing.width));
}

function stateWord({ id, status }: ShownItem, blockers: ReadonlyMap<string, unknown>): string {
  if (status === 'completed') return 'done';
  if (blockers.has(id)) return 'blocked';
  return status === 'in_progress' ? 'in progress' : 'to do';
}

function itemLine(
  { team }: View,
  item: ShownItem,
  blockedBy: readonly string[],
  columns: Columns,
  drawing: Drawing,
): string {
  const { id, status, subject, owner } = item;
  const word = stateWord(item, new Map(blockedBy.length > 0 ? [[id, blockedBy]] : []));
  const after = describeBlockers(team.board, blockedBy);
  if (drawing.plain) {
    const parts = [
      `${word}: ${showLine(subject, 200)}`,
      `item ${showLine(id, 20)}`,
      owner ? `by ${showLine(owner, 24)}` : '',
      after,
    ];
    return truncate(parts.filter(Boolean).join(', '), drawing.width);
  }
  const colour = team.members.find(({ name }) => name === owner)?.colour;
  const name =
    owner === null ? '' : colour === undefined ? showLine(owner, 24) : paintName(owner, colour, drawing);
  const text = pad(showLine(subject, 200), columns.subject);
  const shown = [columns.state, columns.id, columns.subject, columns.owner].filter((cells) => cells > 0);
  const room = drawing.width - 2 - shown.reduce((sum, cells) => sum + cells + gap.length, 0);
  const cells = [
    pad(word, columns.state),
    ...(columns.id === 0 ? [] : [styled(drawing, 'dim', pad(showLine(id, 20), columns.id))]),
    status === 'completed' ? styled(drawing, 'dim', text) : text,
    ...(columns.owner === 0 ? [] : [pad(name, columns.owner)]),
    ...(after === '' || room < minAfter ? [] : [styled(drawing, 'dim', after)]),
  ];
  const [glyph, style] = stateMarks[workStates[word] ?? 'idle'];
  return truncate(`${styled(drawing, style, glyph)} ${cells.join(gap).trimEnd()}`, drawing.width);
}

/** What it waits for, by what that is. */
function describeBlockers({ items }: ShownBoard, blockedBy: readonly string[]): string {
  if (blockedBy.length === 0) return '';
  const names = blockedBy.map((id) => items.find((one) => one.id === id)?.subject ?? id);
  const listed = names.slice(0, 3).map((name) => showLine(name, 60));
  return `blocked by ${listed.join(', ')}${names.length > 3 ? ' …' : ''}`;
}

const workStates: Readonly<Record<string, WorkState>> = {
  done: 'done',
  blocked: 'waiting',
  'in progress': 'running',
  'to do': 'idle',
};
/** One item with all that is known of it, as text. */
export function describeShownItem(item: ShownItem, { items }: ShownBoard): string {
  const { id, status, subject, owner, description, createdBy, changedBy } = item;
  const name = (other: string) => {
    const found = items.find((one) => one.id === other);
    return found ? `${other} ${found.subject} (${stateWord(found, new Map())})` : other;
  };
  const blockers = items.filter((one) => one.links.some(({ kind, to }) => kind === 'blocks' && to === id));
  const lines = [
    subject,
    '',
    `State: ${status.replace('_', ' ')}${owner === null ? '' : `, ${status === 'pending' ? 'assigned to' : 'by'} ${owner}`}`,
    ...blockers.map((one) => `Blocked by: ${name(one.id)}`),
    ...item.links.map(({ kind, to }) => `${linkWords[kind]}: ${name(to)}`),
    `Created by ${createdBy}; last changed by ${changedBy}.`,
    ...(description.trim() === '' ? [] : ['', description]),
  ];
  return showControls(lines.join('\n'));
}

const linkWords = {
  blocks: 'Blocks',
  parent: 'Part of',
  related: 'Related to',
  'discovered-from': 'Discovered from',
} as const;
