import type { Stats } from 'node:fs';
import { statEntry } from '../lib/files/entry-at.ts';
import { join } from '../lib/files/exact-paths.ts';
import { listNames } from '../lib/files/list-if-there.ts';
import { listKnown } from '../lib/told.ts';

/** Entries of places that are compared with other files. */
const maxCompared = 5000;

/**
 * Files with several names (hard links) at and below some places, by their identity, the top ones first. Bounded: a name
 * that is missing here may exist.
 */
export function findSharedFiles(places: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const waiting = [...places];
  for (let at = 0; at < waiting.length && at < maxCompared; at++) {
    const path = waiting[at] ?? '';
    const stat = statEntry(path);
    if (stat && isShared(stat) && !found.has(formatIdentity(stat))) found.set(formatIdentity(stat), path);
    if (stat?.isDirectory()) for (const name of listKnown(listNames(path))) waiting.push(join(path, name));
  }
  return found;
}

/** A file that has more than one name. */
export function isShared(stat: Stats): boolean {
  return stat.isFile() && stat.nlink > 1;
}

export function formatIdentity({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev} ${ino}`;
}
