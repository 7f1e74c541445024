import { lstatSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { isLossy } from '../lib/utf8.ts';
import { isWithin } from '../workspace/paths.ts';
import { realPathOf } from '../workspace/real-path.ts';
import { entriesOf, type Folder, folderIn } from './entries.ts';
import type { Look } from './look.ts';

/** Beyond so many entries a tree is too large to be looked through before a command. */
export const mostEntries = 30_000;

/** The names of files by their identity, as they are below a directory. */
export type NamesOfFiles = ReadonlyMap<string, readonly string[]>;

interface Views {
  /** Names below a root, without installed packages and what git keeps; undefined where they are too many. */
  index(root: string): NamesOfFiles | undefined;
  /** Credential files below a root. */
  credentials(root: string): readonly string[];
}

/**
 * Finds the other names of files. Hardly a file outside of installed packages has any, so that one look at a file settles
 * nearly all questions; only then the workspace is gone through.
 */
export function lookAtNames(
  roots: readonly string[],
  { index, credentials }: Views,
): Pick<Look, 'otherNames' | 'sameFile' | 'linked' | 'linkedCredentials'> {
  const namesOf = (stat: Stats) => roots.flatMap((root) => index(root)?.get(identityOf(stat)) ?? []);
  const otherNames = (path: string) => {
    const own = sharedFileAt(path);
    return own && namesOf(own).filter((name) => name !== path);
  };
  const sameFile = (path: string) => {
    const own = sharedFileAt(path);
    if (!own) return undefined;
    return roots.flatMap(credentials).find((one) => {
      // Which file it is cannot be told by this name.
      if (isLossy(one)) return true;
      const other = sharedFileAt(one);
      return one !== path && other !== undefined && identityOf(other) === identityOf(own);
    });
  };
  const linked = (directory: string) => {
    const shared = namesShared(roots.map(index));
    const real = realPathOf(directory);
    return shared?.filter((name) => isWithin(name, directory) || isWithin(realPathOf(name), real));
  };
  return {
    ...{ otherNames, sameFile, linked },
    linkedCredentials(directory) {
      const isAny = roots.flatMap(credentials).some((one) => isLossy(one) || sharedFileAt(one) !== undefined);
      return isAny ? linked(directory)?.filter((one) => sameFile(one) !== undefined) : [];
    },
  };
}

/** All names of files that have several; undefined where some could not be looked at. */
function namesShared(indexes: readonly (NamesOfFiles | undefined)[]): string[] | undefined {
  if (indexes.includes(undefined)) return undefined;
  const all = indexes.length === 1 ? indexes[0] : mergeNames(indexes);
  return [...(all?.values() ?? [])].flatMap((names) => (names.length > 1 ? names : []));
}

function mergeNames(indexes: readonly (NamesOfFiles | undefined)[]): NamesOfFiles {
  const merged = new Map<string, string[]>();
  for (const index of indexes)
    for (const [key, names] of index ?? [])
      merged.set(key, [...new Set([...(merged.get(key) ?? []), ...names])]);
  return merged;
}

/** Those with one name as well: by the time somebody asks, they may have another. */
export function indexNames(root: string): NamesOfFiles | undefined {
  const names = new Map<string, string[]>();
  const waiting: Folder[] = [{ path: root }];
  let left = mostEntries;
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const entries = entriesOf(directory);
    left -= entries.length;
    if (left < 0) return undefined;
    for (const entry of entries) {
      const path = join(directory.path, entry.name);
      if (entry.isDirectory() && !isVendor(entry.name)) waiting.push(folderIn(directory, entry));
      const stat = entry.isFile() ? lookAt(entry.place ?? path) : undefined;
      if (!stat) continue;
      const key = identityOf(stat);
      const known = names.get(key);
      if (known) known.push(path);
      else names.set(key, [path]);
    }
  }
  return names;
}

export function isVendor(name: string): boolean {
  return name === '.git' || name === 'node_modules';
}

/** A file that has more than one name. */
function sharedFileAt(path: string): Stats | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() && stat.nlink > 1 ? stat : undefined;
  } catch {
    return undefined;
  }
}

function lookAt(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev} ${ino}`;
}
