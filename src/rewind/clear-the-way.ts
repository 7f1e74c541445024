import { renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { statEntry } from '../lib/files/entry-at.ts';
import { holdDirectory } from '../lib/files/hold-directory.ts';
import { randomIds } from '../lib/ids.ts';
import { describeFailure } from '../store/files/put-back.ts';
import type { NotPutBack } from './put-all-back.ts';

/** A pipe, socket or device in the place of a file or directory that comes back, and its new name. */
export interface InTheWay {
  path: string;
  to: string;
  what: 'file' | 'directory';
}

/**
 * A file that a command made in the place of a directory is removed like any other that it made. Of pipes, sockets and
 * devices nothing is recorded, so they are only renamed. `made`: paths that commands changed and that are not covered.
 */
export function findInTheWay(restored: readonly string[], made: ReadonlySet<string>): InTheWay[] {
  const found = new Map<string, InTheWay['what']>();
  for (const path of restored) {
    found.set(path, 'file');
    for (let up = dirname(path); up !== dirname(up); up = dirname(up))
      if (made.has(up)) found.set(up, 'directory');
  }
  return [...found]
    .filter(([path]) => isSpecial(path))
    .map(([path, what]) => ({ path, what, to: `${basename(path)}.removed-${randomIds.token(8)}` }));
}

export function describeInTheWay(found: readonly InTheWay[]): string[] {
  return found.map(
    ({ path, to, what }) =>
      `${path} is in the place of a ${what} that is restored, so it is renamed to ${to}.`,
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
  const found = statEntry(path);
  return found !== undefined && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink();
}
