import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type Clock, sleep } from '../clock.ts';
import { randomIds } from '../ids.ts';
import { isSameProcess, processMark } from '../processes/mark.ts';
import { fail, failure, getErrorCode, ok, type Result } from '../result.ts';
import { describeFileError } from './files.ts';
import { readBoundedText } from './read-bounded.ts';

const maxWaitMs = 10_000;
const pauseMs = 15;

/**
 * Does work that must not happen twice at once on this machine, such as reading, changing and replacing a small file. The
 * lock is a file that names its process; it is void once that process has ended. The work is synchronous, so it is short. Not
 * for network file systems, where processes of other machines are invisible.
 */
export async function withFileLock<T>(path: string, clock: Clock, work: () => Result<T>): Promise<Result<T>> {
  const held = await holdFileLock(path, clock);
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
): Promise<Result<() => void>> {
  const mark = `${JSON.stringify({ ...processMark(process.pid), token: randomIds.token(16) })}\n`;
  const taken = await take(path, mark, clock, waitMs, signal);
  if (!taken.ok) return taken;
  return ok(() => {
    if (readQuietly(path) === mark) rmSync(path, { force: true });
  });
}

/** Removes a lock whose process has ended. It is void, but users can see it. */
export function clearDeadLock(path: string): void {
  const found = readQuietly(path);
  // An empty one is being written.
  if (found !== undefined && found !== '' && !isAlive(found)) clear(path, found);
}

async function take(
  path: string,
  mark: string,
  clock: Clock,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<Result<void>> {
  const start = clock.monotonic();
  for (;;) {
    const made = tryToTake(path, mark);
    if (made !== 'taken') return made;
    if (signal?.aborted) return failure(`${path}: waiting for this lock was cancelled.`);
    if (clock.monotonic() - start > waitMs)
      return failure(
        `${path}: another process has held this lock for ${waitMs / 1000} seconds.`,
        'Try again. If no other cadre is running, remove the file.',
      );
    const found = readQuietly(path);
    if (found === undefined || isAlive(found)) await sleep(clock, pauseMs);
    else clear(path, found);
  }
}

/** Written aside and linked into place, so that a lock is never visible without its owner. */
function tryToTake(path: string, mark: string): 'taken' | Result<void> {
  const aside = `${path}.${randomIds.token(16)}`;
  try {
    writeFileSync(aside, mark, { mode: 0o600, flag: 'wx' });
    linkSync(aside, path);
    return ok(undefined);
  } catch (error) {
    return getErrorCode(error) === 'EEXIST' ? 'taken' : fail(describeFileError(error, path, 'write'));
  } finally {
    rmSync(aside, { force: true });
  }
}

function isAlive(mark: string): boolean {
  try {
    const { pid, start } = JSON.parse(mark);
    return typeof pid === 'number' && typeof start === 'string' && isSameProcess({ pid, start });
  } catch {
    return false;
  }
}

/** Moved away before it is checked again: a lock that another process has taken in the meantime is given back. */
function clear(path: string, dead: string): void {
  const away = `${path}.${randomIds.token(16)}`;
  try {
    renameSync(path, away);
    if (readQuietly(away) !== dead) linkSync(away, path);
  } catch {
    // Another process was faster.
  }
  rmSync(away, { force: true });
}

/** Anything else under the lock's name is not a lock, and is not waited for. */
function readQuietly(path: string): string | undefined {
  return readBoundedText(path, maxMarkBytes);
}

const maxMarkBytes = 4096;
