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

/** The worktree or repository below `root` that the directory is in, such as the session's own: git ignores it in the checkout around it. */
export function findEnteredWorktree(current: string, root: string): string | undefined {
  const top = findRoot(current);
  return top?.startsWith(`${root}/`) ? top : undefined;
}
