import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The top of the git work tree that holds `cwd`, or undefined. Looks for `.git` only: git itself is not run. */
export function findRoot(cwd: string): string | undefined {
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    if (lstatSync(join(directory, '.git'), { throwIfNoEntry: false })) return directory;
    if (directory === dirname(directory)) return undefined;
  }
}
