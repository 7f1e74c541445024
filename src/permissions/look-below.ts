import { join } from 'node:path';
import { type Told, untold } from '../lib/told.ts';
import { isWithin } from '../workspace/paths.ts';
import { realPathOf } from '../workspace/real-path.ts';
import { isCredential } from './credentials.ts';
import { entriesOf, type Folder, folderIn } from './entries.ts';
import type { Below, Vendored } from './look.ts';
import { isVendor, maxEntries } from './look-names.ts';
import { isIgnoreFile, unhiddenAbove, unhiddenBy } from './unhidden.ts';

/** Installed packages are many files, of which nothing but the names is looked at. */
const maxVendored = 200_000;

/** What is below a directory, without what is in `.git` and `node_modules`. */
export function lookBelow(root: string): Told<Below> {
  const credentials: string[] = [];
  const links: string[] = [];
  const inward: string[] = [];
  const directories: string[] = [];
  const odd: string[] = [];
  const unhidden = unhiddenAbove(root);
  const waiting: Folder[] = [{ path: root }];
  const realRoot = realPathOf(root);
  let left = maxEntries;
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const entries = entriesOf(directory);
    if (entries === untold) return untold;
    left -= entries.length;
    if (left < 0) return untold;
    for (const entry of entries) {
      const path = join(directory.path, entry.name);
      if (isOdd(entry.name)) odd.push(path);
      if (isIgnoreFile(entry.name)) unhidden.push(...unhiddenBy(path));
      // The name of a link says nothing of where it leads: it counts by both.
      if (isCredential(path)) credentials.push(path);
      if (entry.isSymbolicLink()) (leadsAway(path, realRoot) ? links : inward).push(path);
      if (!entry.isDirectory()) continue;
      directories.push(path);
      if (!isVendor(entry.name)) waiting.push(folderIn(directory, entry));
    }
  }
  return { credentials, links, inward, directories, odd, unhidden };
}

/** Of all that is in `.git` and `node_modules` below a directory, the directories, and names that are not what they seem. */
export function lookAtVendored(root: string): Told<Vendored> {
  const links: string[] = [];
  const odd: string[] = [];
  const directories: string[] = [];
  const realRoot = realPathOf(root);
  const waiting = [{ directory: { path: root } as Folder, isVendored: isWithinVendor(root) }];
  let left = maxVendored;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { directory, isVendored } = next;
    const entries = entriesOf(directory);
    if (entries === untold) return untold;
    left -= entries.length;
    if (left < 0) return untold;
    for (const entry of entries) {
      const path = join(directory.path, entry.name);
      if (entry.isDirectory())
        waiting.push({
          directory: folderIn(directory, entry),
          isVendored: isVendored || isVendor(entry.name),
        });
      if (!isVendored) continue;
      if (isOdd(entry.name)) odd.push(path);
      if (entry.isDirectory()) directories.push(path);
      if (entry.isSymbolicLink() && leadsAway(path, realRoot)) links.push(path);
    }
  }
  return { links, odd, directories };
}

export function isWithinVendor(path: string): boolean {
  return path.split('/').some(isVendor);
}

function isOdd(name: string): boolean {
  return /[\s'"\\*?[]/.test(name);
}

function leadsAway(link: string, realRoot: string): boolean {
  const real = realPathOf(link);
  return isCredential(real) || !isWithin(real, realRoot);
}
