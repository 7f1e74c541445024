import { boundText, visible, visibleLine } from '../../lib/text/text.ts';
import type { BoardItem } from '../../protocol/team.ts';
import { isOpen, mapBlockers } from './links.ts';

const maxLines = 200;
const maxShownLine = 160;
const maxShownBlockers = 10;

/** A board in text, for models and people. What agents wrote is data: callers that print it for a model escape it. */
export function describeList(items: readonly BoardItem[]): string {
  if (items.length === 0) return 'The board is empty.';
  // Open items first: they are what a long list is read for.
  const open = items.filter(isOpen);
  const sorted = items.length > maxLines ? [...open, ...items.filter((item) => !isOpen(item))] : items;
  const blockers = mapBlockers(items);
  const lines = sorted.slice(0, maxLines).map((item) => describeRow(item, blockers.get(item.id)));
  const left = items.length - lines.length;
  return [...lines, ...(left > 0 ? [`… ${left} more`] : [])].join('\n');
}

/** One line: id, state, subject, owner, blockers. */
export function describeRow(item: BoardItem, blockers: readonly string[] = []): string {
  const blocked = blockers.length > 0 ? `, blocked by ${blockers.slice(0, maxShownBlockers).join(' ')}` : '';
  return `${summariseItem(item)}${blocked}${blockers.length > maxShownBlockers ? ' …' : ''}`;
}

export function summariseItem({ id, status, subject, owner }: BoardItem): string {
  const by =
    owner === null ? '' : `, ${status === 'pending' ? 'assigned to' : 'by'} ${visibleLine(owner, 60)}`;
  return `${id} [${status}] ${visibleLine(subject, maxShownLine)}${by}`;
}

/** One item with all that is known of it. */
export function describeItem(item: BoardItem, items: readonly BoardItem[]): string {
  const { metadata, description, createdBy, createdAt, changedBy, changedAt } = item;
  const hasMetadata = Object.keys(metadata).length > 0;
  const lines = [
    summariseItem(item),
    ...describeLinks(item, items),
    ...(hasMetadata ? [`metadata: ${visibleLine(JSON.stringify(metadata), 8_000)}`] : []),
    `created by ${visibleLine(createdBy, 60)} at ${createdAt}; changed by ${visibleLine(changedBy, 60)} at ${changedAt}`,
  ];
  return description.trim() === ''
    ? lines.join('\n')
    : `${lines.join('\n')}\n\n${boundText(visible(description), 20_000)}`;
}

/** Links are stored in one direction and shown in both. */
function describeLinks(item: BoardItem, items: readonly BoardItem[]): string[] {
  const name = (id: string) => {
    const other = items.find((one) => one.id === id);
    return other ? summariseItem(other) : `${id} [deleted]`;
  };
  const outward = item.links.map(({ kind, to }) => `${outwardWords[kind]} ${name(to)}`);
  const inward = items.flatMap((other) =>
    other.links.flatMap(({ kind, to }) => (to === item.id ? [`${inwardWords[kind]} ${name(other.id)}`] : [])),
  );
  return [...inward, ...outward];
}

const outwardWords = {
  blocks: 'blocks',
  parent: 'part of',
  related: 'related to',
  'discovered-from': 'discovered from',
} as const;

const inwardWords = {
  blocks: 'blocked by',
  parent: 'has part',
  related: 'related to',
  'discovered-from': 'led to',
} as const;
