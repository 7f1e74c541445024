import { type Clock, sleep } from '../clock.ts';
import { isPassedOver, type LeasePlace } from '../leases/claims.ts';
import { type Machine, systemMachine } from '../machine.ts';
import { isStopped, type ProcessMark } from '../processes/mark.ts';
import { fail, failure, getErrorCode, ok, type Result } from '../result.ts';
import { describeFileError } from './files.ts';
import { readSmallText, removeQuietly, writeNew } from './small-files.ts';
import { formatProcessName } from './temporary-names.ts';

const maxWaitMs = 10_000;
/** A process that is stopped gives nothing back. */
const maxStoppedMs = 5_000;
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
  const held = await holdFileLock(path, clock, { machine });
  if (!held.ok) return held;
  try {
    return work();
  } finally {
    held.value();
  }
}

export interface LockOptions {
  waitMs?: number | undefined;
  signal?: AbortSignal | undefined;
  machine?: Machine | undefined;
  /** What gives the right to the work: the lock of a process that was paused and has lost it is void, though the process is alive. */
  lease?: { place: LeasePlace; name: string } | undefined;
}

/** The same lock, for longer work that is worth a longer wait. Returns the function that releases it. */
export async function holdFileLock(
  path: string,
  clock: Clock,
  options: LockOptions = {},
): Promise<Result<() => void>> {
  const { machine = systemMachine, lease } = options;
  const lasts = { ...machine.self(), token: machine.ids.token(16), ...(lease ? { lease: lease.name } : {}) };
  const mark = `${JSON.stringify(lasts)}\n`;
  const taken = await take({ path, mark, machine, lease }, clock, options);
  if (!taken.ok) return taken;
  return ok(() => {
    if (readMark(path, machine) === mark) removeQuietly(path, machine.disk);
  });
}

/** Removes a lock whose process has ended. It is void, but users can see it. */
export function clearDeadLock(path: string, machine: Machine = systemMachine): void {
  const found = readMark(path, machine);
  // An empty one is being written.
  if (found !== undefined && found !== '' && !findHolder(found, { machine })) clear(path, found, machine);
}

/** A lock, or a part of taking one, whose process has ended. */
export function isDeadLock(path: string, machine: Machine = systemMachine): boolean {
  const found = readMark(path, machine);
  return found !== undefined && found !== '' && !findHolder(found, { machine });
}

interface Wanted extends Pick<LockOptions, 'lease'> {
  path: string;
  mark: string;
  machine: Machine;
}

async function take(
  wanted: Wanted,
  clock: Clock,
  { waitMs = maxWaitMs, signal }: LockOptions,
): Promise<Result<void>> {
  const { path, machine } = wanted;
  const start = clock.monotonic();
  for (;;) {
    const made = tryToTake(wanted);
    if (made !== 'taken') return made;
    if (signal?.aborted) return failure(`${path}: waiting for this lock was cancelled.`);
    const found = readMark(path, machine);
    const waited = clock.monotonic() - start;
    const holder = found === undefined ? undefined : findHolder(found, wanted);
    if (waited > waitMs || (waited > maxStoppedMs && holder && isStopped(holder.pid)))
      return refuse(path, waited, holder);
    if (found === undefined || holder) await sleep(clock, pauseMs);
    else clear(path, found, machine);
  }
}

function refuse(path: string, waitedMs: number, holder: ProcessMark | undefined): Result<never> {
  const isPaused = holder !== undefined && isStopped(holder.pid);
  const who = holder ? ` (${holder.pid}${isPaused ? ', which is paused' : ''})` : '';
  return failure(
    `${path}: another process${who} has held this lock for ${Math.round(waitedMs / 1000)} seconds.`,
    isPaused
      ? 'Continue that process (fg) or end it, and try again.'
      : 'Try again. If no other cadre is running, remove the file.',
  );
}

/** Written aside and linked into place, so that a lock is never visible without its owner. */
function tryToTake({ path, mark, machine }: Wanted): 'taken' | Result<void> {
  const { disk, ids } = machine;
  const aside = `${path}.${formatProcessName(machine.self(), ids)}`;
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

/** The living process that may still work under this lock. */
function findHolder(
  mark: string,
  { machine, lease }: Omit<Wanted, 'path' | 'mark'>,
): ProcessMark | undefined {
  try {
    const { pid, start, lease: name } = JSON.parse(mark);
    if (typeof pid !== 'number' || typeof start !== 'string' || !machine.isAlive({ pid, start }))
      return undefined;
    const isPassed = lease && typeof name === 'string' && isPassedOver(lease.place, name, { pid, start });
    return isPassed ? undefined : { pid, start };
  } catch {
    return undefined;
  }
}

/** Moved away before it is checked again: a lock that another process has taken in the meantime is given back. */
function clear(path: string, dead: string, machine: Machine): void {
  const { disk, ids } = machine;
  const away = `${path}.${formatProcessName(machine.self(), ids)}`;
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
