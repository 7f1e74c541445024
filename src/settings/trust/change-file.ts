import { renameSync } from 'node:fs';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { ensurePrivateDirectory, writeAtomic } from '../../lib/files/atomic.ts';
import { withFileLock } from '../../lib/files/file-lock.ts';
import { describeFileError } from '../../lib/files/files.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import { readTrustFile, type TrustedRepositories, trustFormat, trustPath } from './file.ts';

/**
 * Changes the trust file. One process at a time, each starting from the previous result, so that nothing is lost
 * when two do it at once. The change may do other work that belongs to it.
 */
export async function changeTrust<T>(
  home: string,
  clock: Clock,
  change: (repositories: TrustedRepositories) => Result<T>,
): Promise<Result<T>> {
  const directory = ensurePrivateDirectory(home);
  if (!directory.ok) return directory;
  const path = trustPath(home);
  return withFileLock(`${path}.lock`, clock, () => {
    const { repositories, damage } = readTrustFile(home);
    if (damage && damage.kind !== 'damaged') return fail(damage.problem);
    const before = formatTrustFile(repositories);
    const changed = change(repositories);
    if (!changed.ok || formatTrustFile(repositories) === before) return changed;
    const aside = damage ? setAside(path, clock) : ok(undefined);
    if (!aside.ok) return aside;
    const written = writeAtomic(path, formatTrustFile(repositories), 0o600);
    return written.ok ? changed : written;
  });
}

function formatTrustFile(repositories: TrustedRepositories): string {
  const entries = [...repositories].map(([root, pieces]) => [root, { pieces }] as const);
  return `${JSON.stringify({ format: trustFormat, repositories: Object.fromEntries(entries) }, null, 2)}\n`;
}

/** A damaged file may be fixed by hand, so it is kept. */
function setAside(path: string, clock: Clock): Result<void> {
  try {
    renameSync(path, `${path}.damaged-${timestamp(clock).replace(/\W/g, '')}`);
    return ok(undefined);
  } catch (error) {
    return fail(describeFileError(error, path, 'move away'));
  }
}
