import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { statTarget } from '../lib/files/entry-at.ts';
import { isLossy } from '../lib/text/utf8.ts';
import { joinTold, mapTold, type Told, untold } from '../lib/told.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { type Folder, lookThrough, openFolder } from './entries.ts';
import type { Look } from './look.ts';
import { findSharedFiles, formatIdentity, isShared } from './shared-files.ts';

/** A tree with more entries is too large to read before a command. */
export const maxEntries = 30_000;

/** The names of files by their identity, as they are below a directory. */
export type NamesOfFiles = ReadonlyMap<string, KnownNames>;

interface KnownNames {
  readonly names: string[];
  /** It has several, here or elsewhere. */
  readonly isShared: boolean;
}

interface Views {
  /** Names below a root, without installed packages and git's own files. */
  index(root: string): Told<NamesOfFiles>;
  /** Credential files below a root. */
  credentials(root: string): Told<readonly string[]>;
  /** Places outside the workspace that hold the user's credentials. */
  homeCredentials(): readonly string[];
  /** Remembers an answer as long as the look is used. */
  keep<T>(look: (place: string) => T): (place: string) => T;
}

/**
 * Finds the other names of files. Hardly any file outside installed packages has one, so a single look at a file answers
 * nearly all questions; only then is the workspace searched.
 */
export function lookAtNames(
  roots: readonly string[],
  { index, credentials, homeCredentials, keep }: Views,
): Pick<Look, 'otherNames' | 'otherNameAt' | 'sameFile' | 'linked' | 'linkedCredentials'> {
  const sharedAt = keep((places) => findSharedFiles(places.split('\0')));
  const sharedAtHome = keep(() => findSharedFiles(homeCredentials()));
  const listOtherNames = (stat: Stats) =>
    joinTold(
      ...roots.map((root) => mapTold(index(root), (names) => names.get(formatIdentity(stat))?.names ?? [])),
    );
  const allCredentials = () => joinTold(...roots.map(credentials));
  const otherNames = (path: string) => {
    const own = statSharedFile(path);
    return own && mapTold(listOtherNames(own), (names) => names.filter((name) => name !== path));
  };
  const sameFile = (path: string) => {
    const own = statSharedFile(path);
    if (!own) return undefined;
    const atHome = sharedAtHome('').get(formatIdentity(own));
    if (atHome !== undefined && atHome !== path) return atHome;
    return mapTold(allCredentials(), (all) =>
      all.find((one) => {
        // This name does not say which file it is.
        if (isLossy(one)) return true;
        const other = statSharedFile(one);
        return one !== path && other !== undefined && formatIdentity(other) === formatIdentity(own);
      }),
    );
  };
  const isBelow = (name: string, directory: string) =>
    isWithin(name, directory) || isWithin(resolveRealPath(name), resolveRealPath(directory));
  const linked = (directory: string) =>
    mapTold(namesShared(roots.map(index)), (names) => names.filter((name) => isBelow(name, directory)));
  return {
    ...{ otherNames, sameFile, linked },
    otherNameAt(path, places) {
      const own = places.length === 0 ? undefined : statSharedFile(path);
      return own && sharedAt(places.join('\0')).get(formatIdentity(own));
    },
    linkedCredentials(directory) {
      const all = allCredentials();
      if (all === untold) return untold;
      const isAny =
        sharedAtHome('').size > 0 || all.some((one) => isLossy(one) || statSharedFile(one) !== undefined);
      return isAny
        ? mapTold(linked(directory), (names) => names.filter((one) => sameFile(one) !== undefined))
        : [];
    },
  };
}

/** All names of files with several. */
function namesShared(indexes: readonly Told<NamesOfFiles>[]): Told<readonly string[]> {
  const told = joinTold(...indexes.map((index) => mapTold(index, (names) => [names])));
  return mapTold(told, (all) => {
    const [only] = all;
    const names = only && all.length === 1 ? only : mergeNames(all);
    return [...names.values()].flatMap((same) => (same.isShared || same.names.length > 1 ? same.names : []));
  });
}

function mergeNames(indexes: readonly NamesOfFiles[]): NamesOfFiles {
  const merged = new Map<string, KnownNames>();
  for (const index of indexes)
    for (const [key, { names, isShared: isOne }] of index) {
      const before = merged.get(key);
      merged.set(key, {
        names: [...new Set([...(before?.names ?? []), ...names])],
        isShared: isOne || before?.isShared === true,
      });
    }
  return merged;
}

/** Includes files with one name: they may have another by the time of the question. */
export function indexNames(root: string): Told<NamesOfFiles> {
  const names = new Map<string, KnownNames>();
  const looked = lookThrough<Folder>({ path: root }, maxEntries, (directory, entries) => {
    const inside: Folder[] = [];
    for (const entry of entries) {
      const path = join(directory.path, entry.name);
      if (entry.isDirectory() && !isVendor(entry.name)) inside.push(openFolder(directory, entry));
      const stat = entry.isFile() ? lookAt(entry.place ?? path) : undefined;
      if (!stat) continue;
      const key = formatIdentity(stat);
      const known = names.get(key);
      if (known) known.names.push(path);
      else names.set(key, { names: [path], isShared: isShared(stat) });
    }
    return inside;
  });
  return mapTold(looked, () => names);
}

export function isVendor(name: string): boolean {
  return name === '.git' || name === 'node_modules';
}

function statSharedFile(path: string): Stats | undefined {
  const stat = statTarget(path);
  return stat && isShared(stat) ? stat : undefined;
}

function lookAt(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
