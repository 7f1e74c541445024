import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, sleep } from '../../lib/clock.ts';
import { describeFileError } from '../../lib/files/files.ts';
import { fail, failure, getErrorCode, ok, type Result } from '../../lib/result.ts';
import { formatLandingLock, readLandingLock } from '../../workspace/git/landing-lock.ts';
import { type Journal, locateStaging } from './journal.ts';

type Held = Pick<Journal, 'gitDirectory' | 'common' | 'id'>;

const maxWaitMs = 5000;
const pauseMs = 50;

/**
 * Takes git's own lock on the index of a checkout, so that no other git stages, commits or switches meanwhile. The lock names
 * its owner: after a crash we remove only our own.
 */
export async function lockIndex(held: Held, clock: Clock): Promise<Result<void>> {
  if (isLockOurs(held)) return ok(undefined);
  const own = join(locateStaging(held), 'lock');
  const start = clock.monotonic();
  try {
    mkdirSync(locateStaging(held), { recursive: true });
    rmSync(own, { force: true });
    writeFileSync(own, formatLandingLock(held.id));
  } catch (error) {
    return fail(describeFileError(error, own, 'write'));
  }
  for (;;) {
    try {
      linkSync(own, lockPath(held));
      rmSync(own, { force: true });
      return ok(undefined);
    } catch (error) {
      if (getErrorCode(error) !== 'EEXIST') return fail(describeFileError(error, lockPath(held), 'write'));
    }
    if (clock.monotonic() - start > maxWaitMs)
      return failure(
        `${lockPath(held)}: another git process is running there, or was killed.`,
        'Wait for it. If no git process is running, remove the file.',
      );
    await sleep(clock, pauseMs);
  }
}

export function unlockIndex(held: Held): void {
  if (isLockOurs(held)) rmSync(lockPath(held), { force: true });
}

export function isLockOurs(held: Held): boolean {
  return readLandingLock(held.gitDirectory) === formatLandingLock(held.id);
}

function lockPath({ gitDirectory }: Held): string {
  return join(gitDirectory, 'index.lock');
}
