import type { BoardItem } from '../../protocol/team.ts';
import { isOpen, mapBlockers } from './links.ts';
import { summariseItem } from './render-board.ts';

const maxRows = 300;

/** Which items wait for which, as a tree: below each item those that it blocks. An item with several blockers is expanded once. */
export function renderGraph(items: readonly BoardItem[]): string {
  const open = items.filter(isOpen);
  if (open.length === 0) return 'No item is open.';
  const byId = new Map(open.map((item) => [item.id, item]));
  const blockers = mapBlockers(items);
  const rows: string[] = [];
  const drawn = new Set<string>();
  const draw = (item: BoardItem, depth: number): void => {
    if (rows.length >= maxRows) return;
    const next = item.links.flatMap(({ kind, to }) => (kind === 'blocks' ? (byId.get(to) ?? []) : []));
    const isAgain = drawn.has(item.id);
    rows.push(
      `${'  '.repeat(depth)}${depth > 0 ? '└ ' : ''}${summariseItem(item)}${isAgain && next.length > 0 ? ' …' : ''}`,
    );
    if (isAgain) return;
    drawn.add(item.id);
    for (const one of next) draw(one, depth + 1);
  };
  for (const item of open) if (!blockers.has(item.id)) draw(item, 0);
  // What is left waits in a loop, which other programs can write.
  for (const item of open) if (!drawn.has(item.id)) draw(item, 0);
  return rows.length >= maxRows ? `${rows.slice(0, maxRows).join('\n')}\n…` : rows.join('\n');
}
