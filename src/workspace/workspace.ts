import { dirname, join, resolve } from 'node:path';
import { statEntry } from '../lib/files/entry-at.ts';

/** The top of the git work tree that contains `cwd`, or undefined. Looks for `.git` only: git itself is not run. */
export function findRoot(cwd: string): string | undefined {
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    if (exists(join(directory, '.git'))) return directory;
    if (directory === dirname(directory)) return undefined;
  }
}

/** Below a file, or in an unreadable directory, git would find nothing. */
function exists(path: string): boolean {
  return statEntry(path) !== undefined;
}
