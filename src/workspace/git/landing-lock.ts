import { join } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { findLaidOutCommon, landingName } from './directory.ts';

/** Git's own lock on an index, as a landing takes it: it names its owner. */
export function formatLandingLock(id: string): string {
  return `cadre landing ${id}\n`;
}

export function readLandingLock(gitDirectory: string): string | undefined {
  return readBoundedText(join(gitDirectory, 'index.lock'), maxLock);
}

const maxLock = 1024;

/** Whether a landing holds the index of a git directory. What the lock says is not enough: a command can write that. */
export function isLockedByLanding(gitDirectory: string): boolean {
  const text = readLandingLock(gitDirectory) ?? '';
  const [, id] = /^cadre landing ([\w-]+)\n$/.exec(text) ?? [];
  if (id === undefined) return false;
  const staging = join(findLaidOutCommon(gitDirectory), landingName, id);
  return statEntry(staging)?.isDirectory() === true;
}
