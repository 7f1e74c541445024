import type { BoardItem, BoardLinkKind } from '../../protocol/team.ts';

/** Neither done nor deleted. */
export function isOpen({ status }: Pick<BoardItem, 'status'>): boolean {
  return status === 'pending' || status === 'in_progress';
}

/** The unfinished items that must be done before this one. */
export function listBlockers(items: readonly BoardItem[], id: string): BoardItem[] {
  return items.filter((item) => isOpen(item) && hasLink(item, 'blocks', id));
}

/** The unfinished items that wait for this one. */
export function listBlocked(items: readonly BoardItem[], item: BoardItem): BoardItem[] {
  return items.filter((other) => isOpen(other) && hasLink(item, 'blocks', other.id));
}

/** The ids of all unfinished items that wait, each with those that it waits for. */
export function mapBlockers(
  items: readonly Pick<BoardItem, 'id' | 'status' | 'links'>[],
): Map<string, string[]> {
  const open = items.filter(isOpen);
  const known = new Set(open.map(({ id }) => id));
  const blockers = new Map<string, string[]>();
  for (const { id, links } of open)
    for (const { kind, to } of links)
      if (kind === 'blocks' && known.has(to)) blockers.set(to, [...(blockers.get(to) ?? []), id]);
  return blockers;
}

/** Pending, not assigned, and nothing left to wait for. */
export function listReady(items: readonly BoardItem[]): BoardItem[] {
  const blocked = mapBlockers(items);
  return items.filter(({ id, status, owner }) => status === 'pending' && owner === null && !blocked.has(id));
}

export function hasLink({ links }: Pick<BoardItem, 'links'>, kind: BoardLinkKind, to: string): boolean {
  return links.some((link) => link.kind === kind && link.to === to);
}

/**
 * The way back to where links of this kind start, as ids: a loop in which no item could ever be done first. Undefined where
 * there is none.
 */
export function findLoop(
  items: readonly BoardItem[],
  kind: BoardLinkKind,
  start: string,
): string[] | undefined {
  const byId = new Map(items.filter(({ status }) => status !== 'deleted').map((item) => [item.id, item]));
  const seen = new Set<string>();
  const ways: string[][] = [[start]];
  for (let way = ways.shift(); way; way = ways.shift()) {
    for (const { kind: found, to } of byId.get(way.at(-1) ?? '')?.links ?? []) {
      if (found !== kind || !byId.has(to)) continue;
      if (to === start) return [...way, to];
      if (!seen.has(to)) ways.push([...way, to]);
      seen.add(to);
    }
  }
  return undefined;
}
