import { dirname, join } from '../lib/files/exact-paths.ts';
import { listKnown, untold } from '../lib/told.ts';
import { searchedForClosed } from './bwrap/system.data.ts';
import { readEntries, statEntry } from './guard/look.ts';

/**
 * The machine's settings and data that only root can read: as root, a sandboxed command must not read more of them than an
 * ordinary user could. Top directories first. If there are too many settings to check, the rest of them is hidden; in other
 * trees only entries near the top are checked.
 */
export function findClosedToOthers(trees: readonly SearchedTree[] = searchedTrees()): string[] {
  return trees.flatMap((tree) => fewer(findClosed(tree), tree));
}

export interface SearchedTree {
  readonly top: string;
  /** Number of levels below the top to check; all without it. */
  readonly depth?: number;
  /** Names in it that are not checked. */
  readonly except?: readonly string[];
}

/** All settings, and near their tops all directories of the machine that are not the system's own. */
function searchedTrees(): SearchedTree[] {
  const { whole, known, depth } = searchedForClosed;
  const others = listKnown(readEntries('/'))
    .filter((entry) => entry.isDirectory() && !known.includes(entry.name))
    .map((entry) => `/${entry.name}`);
  return [
    ...whole.map((top) => ({ top })),
    { top: '/', depth: 1, except: known },
    ...[...others, '/usr/local'].map((top) => ({ top, depth })),
  ];
}

/** Never hidden as a whole. */
export function isSearchedTop(path: string): boolean {
  return dirname(path) === '/' || path === '/usr/local' || searchedForClosed.whole.includes(path);
}

/** Number of entries of a tree that are checked: 10 ms. */
const maxEntries = 6000;

interface Closed {
  readonly path: string;
  readonly parent: string;
  /** Number of entries in its directory. */
  readonly beside: number;
}

function findClosed({ top, depth, except = [] }: SearchedTree): Closed[] {
  const found: Closed[] = [];
  const device = statEntry(top)?.dev;
  let seen = 0;
  const left = [{ path: top, level: 1 }];
  for (let next = left.shift(); next; next = left.shift()) {
    const { path: parent, level } = next;
    if (seen > maxEntries) {
      if (depth === undefined) found.push({ path: parent, parent, beside: 1 });
      continue;
    }
    const entries = readEntries(parent);
    if (entries === untold) {
      if (parent !== top) found.push({ path: parent, parent: dirname(parent), beside: 1 });
      continue;
    }
    for (const entry of entries) {
      if (++seen > maxEntries * 2 || (parent === top && except.includes(entry.name))) continue;
      const isDirectory = entry.isDirectory();
      const path = join(parent, entry.name);
      const stat = isDirectory || entry.isFile() ? statEntry(path) : undefined;
      if (!stat) continue;
      // A user who may pass through a directory without listing it can open files whose names are known.
      if ((stat.mode & (isDirectory ? 0o005 : 0o004)) === 0) {
        if (isDirectory || stat.size > 0) found.push({ path, parent, beside: entries.length });
      } else if (isDirectory && stat.dev === device && level < (depth ?? Number.POSITIVE_INFINITY))
        left.push({ path, level: level + 1 });
    }
  }
  return found;
}

/** Each costs a command time. */
const maxHidden = 24;

/** Where many files of a directory are closed, or too many in all, their directory is hidden; never a top. */
function fewer(found: readonly Closed[], { top }: SearchedTree): string[] {
  const inside = new Map<string, number>();
  for (const { parent } of found) inside.set(parent, (inside.get(parent) ?? 0) + 1);
  const isMostly = ({ parent, beside }: Closed) => {
    const count = inside.get(parent) ?? 0;
    return parent !== top && count > 1 && count * 2 >= beside;
  };
  const isMany = found.length > maxHidden;
  return [
    ...new Set(found.map((one) => (isMostly(one) || (isMany && one.parent !== top) ? one.parent : one.path))),
  ];
}
