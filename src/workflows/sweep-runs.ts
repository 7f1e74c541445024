import { lstatSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeFileError } from '../lib/files/files.ts';
import { listNames } from '../lib/files/list-names.ts';
import { readJsonlTail } from '../lib/jsonl/jsonl.ts';
import { claimLease, lookAtLease } from '../lib/leases/claim-lease.ts';
import type { Machine } from '../lib/machine.ts';
import type { Problem } from '../lib/result.ts';
import { locateAnchors } from '../store/layout.ts';
import { isRunId, locateJournal } from './read-journal.ts';

export interface RunSweep {
  olderThanDays: number;
  /** Milliseconds since 1970. */
  now: number;
  machine: Machine;
}

/**
 * Removes runs unchanged for this many days, as sessions are, with the anchors of their records. One that a process has, or
 * that is suspended until a limit resets, stays. Only directories with a run's name that belong to this user are touched.
 */
export function sweepRuns(
  runs: string,
  { olderThanDays, now, machine }: RunSweep,
): { removed: number; problems: Problem[] } {
  const before = now - olderThanDays * 24 * 60 * 60 * 1000;
  const swept: { removed: number; problems: Problem[] } = { removed: 0, problems: [] };
  for (const runId of listNames(runs).filter(isRunId)) {
    const directory = join(runs, runId);
    const place = { directory, machine };
    if (lastUsed(directory, locateJournal(runs, runId)) >= before) continue;
    if (lookAtLease(place, 'owner')?.state === 'held' || isSuspended(locateJournal(runs, runId))) continue;
    // Who resumes it in this moment is refused, instead of losing its files.
    const claimed = claimLease(place, 'owner');
    if (!claimed.ok || claimed.value.state === 'held') continue;
    try {
      rmSync(directory, { recursive: true, force: true });
      rmSync(locateAnchors(dirname(runs), runId), { force: true });
      swept.removed++;
    } catch (error) {
      claimed.value.lease.release();
      swept.problems.push(describeFileError(error, directory, 'remove'));
    }
  }
  return swept;
}

/** Never, for anything but our own plain files and directories: it is left alone. */
function lastUsed(directory: string, journal: string): number {
  const times = [directory, journal].flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return [];
    const isExpected = path === journal ? found.isFile() : found.isDirectory();
    const isOurs = process.getuid === undefined || found.uid === process.getuid();
    return [isExpected && isOurs ? found.mtimeMs : Number.POSITIVE_INFINITY];
  });
  return Math.max(...times);
}

/** By the newest record that opens or closes it. One that cannot be read may be suspended: it stays. */
function isSuspended(journal: string): boolean {
  if (lstatSync(journal, { throwIfNoEntry: false }) === undefined) return false;
  const isEnd = ({ type }: Record<string, unknown>) => type === 'closed' || type === 'opened';
  const read = readJsonlTail(journal, isEnd);
  if (!read.ok) return true;
  const last = read.value.records.findLast(isEnd);
  return last?.type === 'closed' && last.status === 'suspended';
}
