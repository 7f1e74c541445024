import { diffLines, renderHunks } from '../../lib/text/diff.ts';
import type { LeaseConflict } from '../../protocol/lease.ts';
import { describeHolder } from '../../workspace/file-leases.ts';

const maxLines = 24;

/** The holder of the file, and its changes so far. */
export function leaseRefusal(path: string, conflict: LeaseConflict, now: string | null): string {
  const { holder, writes } = conflict;
  return [
    `${path} was not written: it is leased to ${describeHolder(holder)}, which ${countWrites(writes)}.`,
    ...describeChanges(conflict, now),
    holder.agentId === null
      ? "It becomes available when the main agent's turn ends. Work on other files, and report what this one needs."
      : 'It becomes available when that agent ends. Work on other files, and report what this one needs.',
  ].join('\n');
}

function countWrites(writes: number): string {
  if (writes === 0) return 'is writing it now';
  return writes === 1 ? 'has written it once so far' : `has written it ${writes} times so far`;
}

function describeChanges({ before }: LeaseConflict, now: string | null): string[] {
  if (before === undefined) return [];
  if (before === null)
    return now === null ? [] : [`It created the file, with ${now.split('\n').length} lines.`];
  const hunks = diffLines(before, now ?? '');
  return hunks.length === 0 ? [] : [`Its changes:\n${renderHunks(hunks, maxLines)}`];
}
