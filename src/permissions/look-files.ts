import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../lib/clock.ts';
import { entryAt } from '../lib/entry-at.ts';
import { isLossy } from '../lib/utf8.ts';
import type { PlainFolders } from '../workspace/git-data.ts';
import { openTrackedFiles } from '../workspace/git-index.ts';
import { hasNotes, openObjectKinds } from '../workspace/git-objects.ts';
import { openPast } from '../workspace/git-past.ts';
import { findGitStray } from '../workspace/git-stays.ts';
import { isWithin } from '../workspace/paths.ts';
import { followWay, realPathOf } from '../workspace/real-path.ts';
import { isCredential } from './credentials.ts';
import { entriesOf, type Folder, folderIn } from './entries.ts';
import type { Below, Carried, Look } from './look.ts';
import { listHeld } from './look-held.ts';
import { indexNames, isVendor, lookAtNames, mostEntries } from './look-names.ts';
import { mayMatchName } from './pattern.ts';
import { isIgnoreFile, unhiddenAbove, unhiddenBy } from './unhidden.ts';

/** Installed packages are many files, of which nothing but the names is looked at. */
const mostVendored = 200_000;
const mostPaths = 5000;
const mostCarried = 2000;
const freshMs = 1000;

type Environment = Readonly<Record<string, string | undefined>>;

const systemPath: Environment = { PATH: '/usr/local/bin:/usr/bin:/bin' };

/**
 * Looks at the real file system. `roots` are where credential files with several names are looked for, and git is found by
 * the environment.
 */
export function lookAtFiles(
  roots: readonly string[],
  clock: Clock = systemClock,
  environment: Environment = systemPath,
): Look {
  const below = keepFresh(clock, walk);
  const vendored = keepFresh(clock, walkVendored);
  const plain: PlainFolders = new Map();
  const { files, submodules } = openTrackedFiles();
  const names = lookAtNames(roots, {
    index: keepFresh(clock, indexNames),
    credentials: (root) => below(root)?.credentials ?? [],
  });
  return {
    held: keepFresh(clock, listHeld),
    ...{ expand, below, vendored, carried, isDirectory, way: followWay, tracked: files },
    gitStray: (directory, command) =>
      findGitStray(directory, { ...command, plain, submodules, otherNames: names.otherNames }),
    past: openPast(environment, clock),
    ...{ objectKinds: openObjectKinds(environment), hasNotes },
    ...names,
  };
}

function walk(root: string): Below | undefined {
  const credentials: string[] = [];
  const links: string[] = [];
  const inward: string[] = [];
  const odd: string[] = [];
  const unhidden = unhiddenAbove(root);
  const waiting: Folder[] = [{ path: root }];
  const realRoot = realPathOf(root);
  let left = mostEntries;
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const entries = entriesOf(directory);
    if (!entries) return undefined;
    left -= entries.length;
    if (left < 0) return undefined;
    for (const entry of entries) {
      const path = join(directory.path, entry.name);
      if (isOdd(entry.name)) odd.push(path);
      if (isIgnoreFile(entry.name)) unhidden.push(...unhiddenBy(path));
      if (isCredential(path)) credentials.push(path);
      else if (entry.isSymbolicLink()) {
        (leadsAway(path, realRoot) ? links : inward).push(path);
      } else if (entry.isDirectory() && !isVendor(entry.name)) waiting.push(folderIn(directory, entry));
    }
  }
  return { credentials, links, inward, odd, unhidden };
}

/** Of all that is in `.git` and `node_modules` below a directory, the names that are not what they seem. */
function walkVendored(root: string): Pick<Below, 'links' | 'odd'> | undefined {
  const links: string[] = [];
  const odd: string[] = [];
  const realRoot = realPathOf(root);
  const waiting = [{ directory: { path: root } as Folder, isVendored: isWithinVendor(root) }];
  let left = mostVendored;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { directory, isVendored } = next;
    const entries = entriesOf(directory);
    if (!entries) return undefined;
    left -= entries.length;
    if (left < 0) return undefined;
    for (const entry of entries) {
      const path = join(directory.path, entry.name);
      if (entry.isDirectory())
        waiting.push({
          directory: folderIn(directory, entry),
          isVendored: isVendored || isVendor(entry.name),
        });
      if (!isVendored) continue;
      if (isOdd(entry.name)) odd.push(path);
      if (entry.isSymbolicLink() && leadsAway(path, realRoot)) links.push(path);
    }
  }
  return { links, odd };
}

function isWithinVendor(path: string): boolean {
  return path.split('/').some(isVendor);
}

function isOdd(name: string): boolean {
  return /[\s'"\\*?[]/.test(name);
}

function leadsAway(link: string, realRoot: string): boolean {
  const real = realPathOf(link);
  return isCredential(real) || !isWithin(real, realRoot);
}

/** Many commands in a row, as in a batch, look at the same directory. */
function keepFresh<T>(clock: Clock, look: (directory: string) => T): (directory: string) => T {
  const seen = new Map<string, { at: number; found: T }>();
  return (directory) => {
    const before = seen.get(directory);
    const now = clock.monotonic();
    if (before && now - before.at < freshMs) return before.found;
    const found = look(directory);
    if (seen.size > 100) seen.clear();
    seen.set(directory, { at: now, found });
    return found;
  };
}

function carried(root: string): Carried | undefined {
  const paths: string[] = [];
  const waiting = [''];
  const own = entryAt(root);
  let hasLinks = own?.isSymbolicLink() === true;
  let hasNames = hasSeveral(own);
  for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop()) {
    const entries = hasLinks ? [] : entriesOf({ path: join(root, inner) });
    if (!entries) return undefined;
    for (const entry of entries) {
      const path = join(inner, entry.name);
      paths.push(path);
      if (paths.length > mostCarried) return undefined;
      hasLinks ||= entry.isSymbolicLink();
      if (entry.isDirectory()) waiting.push(path);
      hasNames ||= entry.isFile() && hasSeveral(entryAt(join(root, path)));
    }
  }
  return { paths, hasLinks, hasNames };
}

/** Piece by piece. `**` is what bash takes it for without `globstar`: a star. */
function expand(directory: string, pattern: string): readonly string[] | undefined {
  let paths = [directory];
  let left = mostEntries;
  for (const piece of pattern.split('/').filter((one) => one !== '')) {
    const next: string[] = [];
    for (const path of paths) {
      // What is behind such a name cannot be told: the name itself is judged.
      if (isLossy(path)) {
        next.push(path);
        continue;
      }
      if (!/[*?[\\]/.test(piece)) {
        next.push(join(path, piece));
        continue;
      }
      const names = entriesOf({ path })?.map((entry) => entry.name);
      if (!names) return undefined;
      left -= names.length;
      if (left < 0) return undefined;
      // Without a dot at its beginning a pattern takes no name that has one.
      const mayHide = piece.startsWith('.') || piece.startsWith('\\.');
      for (const name of names)
        if ((mayHide || !name.startsWith('.')) && mayMatchName(piece, name)) next.push(join(path, name));
    }
    if (next.length > mostPaths) return undefined;
    paths = next;
  }
  return paths;
}

function hasSeveral(stat: Stats | undefined): boolean {
  return stat?.isFile() === true && stat.nlink > 1;
}

/** A name that cannot be told may be one. */
function isDirectory(path: string): boolean {
  if (isLossy(path)) return true;
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
