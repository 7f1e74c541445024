import { lstatSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { holdDirectory } from '../lib/files/hold-directory.ts';
import { randomIds } from '../lib/ids.ts';
import { describeFailure } from '../store/files/put-back.ts';
import type { NotPutBack } from './put-all-back.ts';

/** A pipe, socket or device in the place of a directory that comes back, and its new name. */
export interface InTheWay {
  path: string;
  to: string;
}

/**
 * A file that a command made in the place of a directory is removed like any other that it made. Of pipes, sockets and
 * devices nothing is recorded, so they are only renamed. `made`: paths that commands changed and that are not covered.
 */
export function findInTheWay(restored: readonly string[], made: ReadonlySet<string>): InTheWay[] {
  const found = new Set<string>();
  for (const path of restored)
    for (let up = dirname(path); up !== dirname(up); up = dirname(up)) if (made.has(up)) found.add(up);
  return [...found]
    .filter(isSpecial)
    .map((path) => ({ path, to: `${basename(path)}.removed-${randomIds.token(8)}` }));
}

export function describeInTheWay(found: readonly InTheWay[]): string[] {
  return found.map(
    ({ path, to }) => `${path} is in the place of a directory that is restored, so it is renamed to ${to}.`,
  );
}

export function clearTheWay(found: readonly InTheWay[]): NotPutBack[] {
  return found.flatMap(({ path, to }) => {
    const held = holdDirectory(dirname(path));
    if (!held.ok) return [{ path, reason: held.problem.message }];
    try {
      const here = join(held.value.path, basename(path));
      if (isSpecial(here)) renameSync(here, join(held.value.path, to));
      return [];
    } catch (error) {
      return [{ path, reason: describeFailure(error, path) }];
    } finally {
      held.value.close();
    }
  });
}

function isSpecial(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink();
}
