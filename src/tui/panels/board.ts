import { isOpen, mapBlockers } from '../../team/board/links.ts';
import type { ShownBoard, ShownItem, View } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { pointer, spoken, styled } from '../screen/layout.ts';
import { paintName } from '../screen/team-lines.ts';
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
  const columns = {
    state: Math.max(...items.map((item) => stateWord(item, blockers).length)),
    id: Math.max(...items.map(({ id }) => width(showLine(id, 20)))),
    owner: Math.min(24, Math.max(...items.map(({ owner }) => width(showLine(owner ?? '', 24))))),
  };
  const rows = items.map((item, index) => {
    const mark = styled(drawing, 'accent', pointer(index === at, drawing));
    const inner = { ...drawing, width: drawing.width - 2 };
    return mark + itemLine(view, item, blockers.get(item.id) ?? [], columns, inner);
  });
  return { lines: [headLine(board, blockers, drawing), '', ...rows], at: at + 2 };
}

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
  const words = spoken(drawing, `Board: ${parts.join(', ')}`);
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
  columns: { state: number; id: number; owner: number },
  drawing: Drawing,
): string {
  const { id, status, subject, owner } = item;
  const word = stateWord(item, new Map(blockedBy.length > 0 ? [[id, blockedBy]] : []));
  const after =
    blockedBy.length === 0
      ? ''
      : `blocked by ${blockedBy.slice(0, 3).join(' ')}${blockedBy.length > 3 ? ' …' : ''}`;
  if (drawing.plain) {
    const parts = [
      `${word}: ${showLine(subject, 200)}`,
      `item ${showLine(id, 20)}`,
      owner ? `by ${showLine(owner, 24)}` : '',
      after,
    ];
    return truncate(parts.filter(Boolean).join(', '), drawing.width);
  }
  const fixed = columns.state + columns.id + columns.owner + 8;
  const room = Math.max(10, drawing.width - fixed - (after === '' ? 0 : width(after) + 2));
  const colour = team.members.find(({ name }) => name === owner)?.colour;
  const name =
    owner === null ? '' : colour === undefined ? showLine(owner, 24) : paintName(owner, colour, drawing);
  const text = pad(truncate(showLine(subject, 200), room), room);
  const shown = status === 'completed' ? styled(drawing, 'dim', text) : text;
  const line = `${sign[word] ?? ' '} ${pad(word, columns.state)}  ${styled(drawing, 'dim', pad(showLine(id, 20), columns.id))}  ${shown}  ${pad(name, columns.owner)}`;
  return truncate(
    `${line}${after === '' ? '' : `  ${styled(drawing, 'dim', after)}`}`.trimEnd(),
    drawing.width,
  );
}

const sign: Readonly<Record<string, string>> = { done: '✓', blocked: '◌', 'in progress': '●', 'to do': '○' };

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
