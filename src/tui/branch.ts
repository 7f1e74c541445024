import { dirname, join, resolve } from 'node:path';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import { findGitDirectory } from '../workspace/git/directory.ts';

/** The branch checked out around a directory, read from git's own file without running a program. */
export function branchAround(directory: string): string | null {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const head = readHead(at);
    if (head !== undefined) return readBranchName(head);
    if (dirname(at) === at) return null;
  }
}

function readHead(root: string): string | undefined {
  const own = findGitDirectory(root);
  return own === undefined ? undefined : readBoundedText(join(own, 'HEAD'), maxHead);
}

const maxHead = 64 * 1024;

function readBranchName(head: string): string | null {
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
  return branch ?? (/^[0-9a-f]{40,64}$/.test(head.trim()) ? head.trim().slice(0, 8) : null);
}
