import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The branch that is checked out around a directory, read from git's own file: no program is run for it. */
export function branchAround(directory: string): string | null {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const head = headOf(join(at, '.git'));
    if (head !== undefined) return nameIn(head);
    if (dirname(at) === at) return null;
  }
}

function headOf(git: string): string | undefined {
  try {
    if (statSync(git).isDirectory()) return readFileSync(join(git, 'HEAD'), 'utf8');
    // A work tree has a file that says where its directory is.
    const place = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1];
    return place === undefined
      ? undefined
      : readFileSync(join(resolve(dirname(git), place.trim()), 'HEAD'), 'utf8');
  } catch {
    return undefined;
  }
}

function nameIn(head: string): string | null {
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
  return branch ?? (/^[0-9a-f]{40,64}$/.test(head.trim()) ? head.trim().slice(0, 8) : null);
}
