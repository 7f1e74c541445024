import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { entryAt } from '../lib/entry-at.ts';
import { isWithin } from '../workspace/paths.ts';
import type { Look } from './look.ts';

/** Beyond so many entries a tree is too large to be looked through before a command. */
export const mostEntries = 30_000;

/** The names of files by their identity, as they are below a directory. */
export type NamesOfFiles = ReadonlyMap<string, readonly string[]>;

interface Views {
  /** Names below a root, without installed packages and what git keeps. */
  index(root: string): NamesOfFiles;
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
  const namesOf = (stat: Stats) => roots.flatMap((root) => index(root).get(identityOf(stat)) ?? []);
  const otherNames = (path: string) => {
    const own = sharedFileAt(path);
    return own && namesOf(own).filter((name) => name !== path);
  };
  const sameFile = (path: string) => {
    const own = sharedFileAt(path);
    if (!own) return undefined;
    return roots.flatMap(credentials).find((one) => {
      const other = sharedFileAt(one);
      return one !== path && other !== undefined && identityOf(other) === identityOf(own);
    });
  };
  const linked = (directory: string) =>
    roots.flatMap((root) =>
      [...index(root).values()].flatMap((names) =>
        names.length > 1 ? names.filter((name) => isWithin(name, directory)) : [],
      ),
    );
  return {
    ...{ otherNames, sameFile, linked },
    linkedCredentials(directory) {
      const isAny = roots.flatMap(credentials).some((one) => sharedFileAt(one) !== undefined);
      return isAny ? linked(directory).filter((one) => sameFile(one) !== undefined) : [];
    },
  };
}

/** Those with one name as well: by the time somebody asks, they may have another. */
export function indexNames(root: string): NamesOfFiles {
  const names = new Map<string, string[]>();
  const waiting = [root];
  let left = mostEntries;
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const entries = entriesOf(directory);
    left -= entries.length;
    if (left < 0) break;
    for (const entry of entries) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !isVendor(entry.name)) waiting.push(path);
      const stat = entry.isFile() ? entryAt(path) : undefined;
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

export function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // What cannot be listed by us cannot be listed by a command of ours.
    return [];
  }
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

function identityOf({ dev, ino }: Stats): string {
  return `${dev} ${ino}`;
}
