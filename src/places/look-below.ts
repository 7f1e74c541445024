import { join } from 'node:path';
import { mapTold, type Told } from '../lib/told.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { isCredential } from './credentials.ts';
import { type Folder, lookThrough, openFolder } from './entries.ts';
import type { Below, Vendored } from './look.ts';
import { isVendor, maxEntries } from './look-names.ts';
import { unhiddenAbove, unhiddenBy } from './unhidden.ts';

/** Installed packages are many files, and only their names are read. */
const maxVendored = 200_000;

/** Everything below a directory except the content of `.git` and `node_modules`. */
export function lookBelow(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): Told<Below> {
  const credentials: string[] = [];
  const links: string[] = [];
  const inward: string[] = [];
  const directories: string[] = [];
  const odd: string[] = [];
  const unhidden = unhiddenAbove(root, environment);
  const realRoot = resolveRealPath(root);
  const looked = lookThrough<Folder>({ path: root }, maxEntries, (directory, entries) => {
    const inside: Folder[] = [];
    for (const entry of entries) {
      const path = join(directory.path, entry.name);
      if (isOddName(entry.name)) odd.push(path);
      unhidden.push(...unhiddenBy(entry.name, directory.path, root));
      // The name of a link says nothing about its target: both are checked.
      if (isCredential(path)) credentials.push(path);
      if (entry.isSymbolicLink()) (leadsAway(path, realRoot) ? links : inward).push(path);
      if (!entry.isDirectory()) continue;
      directories.push(path);
      if (!isVendor(entry.name)) inside.push(openFolder(directory, entry));
    }
    return inside;
  });
  return mapTold(looked, () => ({ credentials, links, inward, directories, odd, unhidden }));
}

/** In `.git` and `node_modules` below a directory: the directories, and names that are not what they seem. */
export function lookAtVendored(root: string): Told<Vendored> {
  const links: string[] = [];
  const odd: string[] = [];
  const directories: string[] = [];
  const realRoot = resolveRealPath(root);
  const first: InVendor = { path: root, isVendored: isWithinVendor(root) };
  const looked = lookThrough(first, maxVendored, (directory, entries) => {
    const inside: InVendor[] = [];
    for (const entry of entries) {
      const path = join(directory.path, entry.name);
      const isVendored = directory.isVendored || isVendor(entry.name);
      if (entry.isDirectory()) inside.push({ ...openFolder(directory, entry), isVendored });
      if (!directory.isVendored) continue;
      if (isOddName(entry.name)) odd.push(path);
      if (entry.isDirectory()) directories.push(path);
      if (entry.isSymbolicLink() && leadsAway(path, realRoot)) links.push(path);
    }
    return inside;
  });
  return mapTold(looked, () => ({ links, odd, directories }));
}

interface InVendor extends Folder {
  readonly isVendored: boolean;
}

export function isWithinVendor(path: string): boolean {
  return path.split('/').some(isVendor);
}

/** A shell, `read` or xargs may read it as a different name, or as several. */
export function isOddName(name: string): boolean {
  return /[\s'"\\*?[]/.test(name);
}

function leadsAway(link: string, realRoot: string): boolean {
  const real = resolveRealPath(link);
  return isCredential(real) || !isWithin(real, realRoot);
}
