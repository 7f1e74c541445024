import type { BoardItem, MemberRecord, WaitEdge } from '../../protocol/team.ts';
import { isOpen, mapBlockers } from './links.ts';

/**
 * The waits that a board shows. A member that rests waits if all its unfinished items are blocked: otherwise it has something to do.
 * A blocked item waits for its blockers, any other for its owner.
 */
export function listBoardWaits(
  items: readonly BoardItem[],
  isResting: (member: string) => boolean,
): WaitEdge[] {
  const open = new Map(items.filter(isOpen).map((item) => [item.id, item]));
  const blockers = mapBlockers(items);
  const busy = new Set([...open.values()].flatMap(({ id, owner }) => (blockers.has(id) ? [] : [owner])));
  return [...open.values()].flatMap((item): WaitEdge[] => {
    const { id, owner, changedAt: since } = item;
    const wait = (from: string, to: string, what: string): WaitEdge => ({
      from,
      to,
      kind: 'item',
      what,
      since,
    });
    const blocking = (blockers.get(id) ?? []).flatMap((other) => open.get(other) ?? []);
    if (blocking.length === 0) return owner === null ? [] : [wait(`item:${id}`, owner, `its owner ${owner}`)];
    const waits = owner !== null && isResting(owner) && !busy.has(owner);
    return [
      ...blocking.map((one) => wait(`item:${id}`, `item:${one.id}`, describeItem(one))),
      ...(waits ? [wait(owner, `item:${id}`, describeItem(item))] : []),
    ];
  });
}

function describeItem({ id, subject }: BoardItem): string {
  return `item ${id}: ${subject.slice(0, 80)}`;
}

/** Members that have nothing to do: they may wait for an item. */
export function findResting(
  members: readonly Pick<MemberRecord, 'name' | 'state'>[],
): (member: string) => boolean {
  const resting = new Set(
    members.flatMap(({ name, state }) => (state === 'idle' || state === 'waiting' ? [name] : [])),
  );
  return (member) => resting.has(member);
}
