import type { Clock } from '../../lib/clock.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { removeQuietly } from '../../lib/files/small-files.ts';
import { isOfDead } from '../../lib/files/temporary-names.ts';
import type { Machine } from '../../lib/machine.ts';
import { stateDirectories } from './box-place.ts';

const dayMs = 24 * 60 * 60_000;

/** Of mail that is done with, per box. Mail that is not read is never removed. */
export const keptMail = { files: 1_000, ms: 30 * dayMs };
/** Of void mail, and of files in quarantine with their reasons. */
export const keptAside = { files: 200, ms: 30 * dayMs };

const maxMakingMs = dayMs;

/** Removes the oldest mail that is done with. */
export function pruneBox(box: string, machine: Machine, clock: Clock): void {
  prune(join(box, stateDirectories.read), keptMail, machine, clock);
  prune(join(box, stateDirectories.void), keptAside, machine, clock);
  prune(join(box, stateDirectories.quarantined), keptAside, machine, clock);
}

/** The same, and removes what was being written when its process was killed. */
export function sweepBox(box: string, machine: Machine, clock: Clock): void {
  pruneBox(box, machine, clock);
  const directory = join(box, 'tmp');
  for (const { name, time } of listByTime(directory, machine)) {
    const path = join(directory, name);
    const isOver = isOfDead(path, (mark) => machine.isAlive(mark)) || clock.now() - time > maxMakingMs;
    if (isOver) removeQuietly(path, machine.disk);
  }
}

function prune(directory: string, kept: typeof keptMail, machine: Machine, clock: Clock): void {
  const files = listByTime(directory, machine);
  const isOver = ({ time }: { time: number }, index: number) =>
    files.length - index > kept.files || clock.now() - time > kept.ms;
  for (const { name } of files.filter(isOver)) removeQuietly(join(directory, name), machine.disk);
}

/** The oldest first. */
function listByTime(directory: string, { disk }: Machine): { name: string; time: number }[] {
  try {
    return disk
      .list(directory)
      .map((name) => ({ name, time: disk.stat(join(directory, name))?.mtimeMs ?? 0 }))
      .sort((one, other) => one.time - other.time);
  } catch {
    return [];
  }
}
