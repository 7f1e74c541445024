import { type Clock, sleep } from '../clock.ts';
import { type Machine, systemMachine } from '../machine.ts';
import { fail, failure, getErrorCode, ok, type Result } from '../result.ts';
import { describeFileError } from './files.ts';
import { readSmallText, removeQuietly, writeNew } from './small-files.ts';

const maxWaitMs = 10_000;
const pauseMs = 15;

/**
 * Does work that must not happen twice at once on this machine, such as reading, changing and replacing a small file. The
 * lock is a file that names its process; it is void once that process has ended. The work is synchronous, so it is short. Not
 * for network file systems, where processes of other machines are invisible.
 */
export async function withFileLock<T>(
  path: string,
  clock: Clock,
  work: () => Result<T>,
  machine: Machine = systemMachine,
): Promise<Result<T>> {
  const held = await holdFileLock(path, clock, maxWaitMs, undefined, machine);
  if (!held.ok) return held;
  try {
    return work();
  } finally {
    held.value();
  }
}

/** The same lock, for longer work that is worth a longer wait. Returns the function that releases it. */
export async function holdFileLock(
  path: string,
  clock: Clock,
  waitMs = maxWaitMs,
  signal?: AbortSignal,
  machine: Machine = systemMachine,
): Promise<Result<() => void>> {
  const mark = `${JSON.stringify({ ...machine.self(), token: machine.ids.token(16) })}\n`;
  const taken = await take({ path, mark, machine }, clock, waitMs, signal);
  if (!taken.ok) return taken;
  return ok(() => {
    if (readMark(path, machine) === mark) removeQuietly(path, machine.disk);
  });
}

/** Removes a lock whose process has ended. It is void, but users can see it. */
export function clearDeadLock(path: string, machine: Machine = systemMachine): void {
  const found = readMark(path, machine);
  // An empty one is being written.
  if (found !== undefined && found !== '' && !isAlive(found, machine)) clear(path, found, machine);
}

interface Wanted {
  path: string;
  mark: string;
  machine: Machine;
}

async function take(
  wanted: Wanted,
  clock: Clock,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<Result<void>> {
  const { path, machine } = wanted;
  const start = clock.monotonic();
  for (;;) {
    const made = tryToTake(wanted);
    if (made !== 'taken') return made;
    if (signal?.aborted) return failure(`${path}: waiting for this lock was cancelled.`);
    if (clock.monotonic() - start > waitMs)
      return failure(
        `${path}: another process has held this lock for ${waitMs / 1000} seconds.`,
        'Try again. If no other cadre is running, remove the file.',
      );
    const found = readMark(path, machine);
    if (found === undefined || isAlive(found, machine)) await sleep(clock, pauseMs);
    else clear(path, found, machine);
  }
}

/** Written aside and linked into place, so that a lock is never visible without its owner. */
function tryToTake({ path, mark, machine: { disk, ids } }: Wanted): 'taken' | Result<void> {
  const aside = `${path}.${ids.token(16)}`;
  try {
    writeNew(aside, mark, disk);
    disk.link(aside, path);
    return ok(undefined);
  } catch (error) {
    return getErrorCode(error) === 'EEXIST' ? 'taken' : fail(describeFileError(error, path, 'write'));
  } finally {
    removeQuietly(aside, disk);
  }
}

function isAlive(mark: string, machine: Machine): boolean {
  try {
    const { pid, start } = JSON.parse(mark);
    return typeof pid === 'number' && typeof start === 'string' && machine.isAlive({ pid, start });
  } catch {
    return false;
  }
}

/** Moved away before it is checked again: a lock that another process has taken in the meantime is given back. */
function clear(path: string, dead: string, machine: Machine): void {
  const { disk, ids } = machine;
  const away = `${path}.${ids.token(16)}`;
  try {
    disk.rename(path, away);
    if (readMark(away, machine) !== dead) disk.link(away, path);
  } catch {
    // Another process was faster.
  }
  removeQuietly(away, disk);
}

/** Anything else under the lock's name is not a lock, and is not waited for. */
function readMark(path: string, { disk }: Machine): string | undefined {
  return readSmallText(path, maxMarkBytes, disk);
}

const maxMarkBytes = 4096;
