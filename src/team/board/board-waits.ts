import type { BoardItem, WaitEdge } from '../../protocol/team.ts';
import { nameItem } from './apply-change.ts';
import { isOpen, mapBlockers } from './links.ts';

/**
 * The waits that a board shows. A member waits only if all its unfinished items are blocked: otherwise it has something to do. A
 * blocked item waits for its blockers, any other that blocks for its owner.
 */
export function listBoardWaits(items: readonly BoardItem[]): WaitEdge[] {
  const byId = new Map(items.filter(isOpen).map((item) => [item.id, item]));
  const blockers = mapBlockers(items);
  const waiting = findWaitingMembers([...byId.values()], blockers);
  const blocked = [...blockers].flatMap(([id, blocking]) => {
    const item = byId.get(id);
    return item ? blocking.flatMap((other) => describeBlocked(item, byId.get(other), waiting)) : [];
  });
  const blocking = new Set([...blockers.values()].flat());
  const held = [...byId.values()].filter(({ id }) => blocking.has(id) && !blockers.has(id));
  return [...blocked, ...held.flatMap(describeHeld)];
}

function findWaitingMembers(
  open: readonly BoardItem[],
  blockers: ReadonlyMap<string, unknown>,
): ReadonlySet<string> {
  const owners = new Set(open.flatMap(({ owner }) => owner ?? []));
  for (const { id, owner } of open) if (owner !== null && !blockers.has(id)) owners.delete(owner);
  return owners;
}

function describeBlocked(
  item: BoardItem,
  blocker: BoardItem | undefined,
  waiting: ReadonlySet<string>,
): WaitEdge[] {
  if (!blocker) return [];
  const wait = {
    ...{ to: `item:${blocker.id}`, kind: 'item' as const, since: item.changedAt },
    what: `${nameItem(item)} is blocked by ${nameItem(blocker)}`,
  };
  const isOwn = item.owner === blocker.owner;
  const byMember =
    item.owner !== null && waiting.has(item.owner) && !isOwn ? [{ from: item.owner, ...wait }] : [];
  return [...byMember, { from: `item:${item.id}`, ...wait }];
}

function describeHeld(item: BoardItem): WaitEdge[] {
  if (item.owner === null) return [];
  const what = `${nameItem(item)} is for ${item.owner} to do`;
  return [{ from: `item:${item.id}`, to: item.owner, kind: 'item', what, since: item.changedAt }];
}
