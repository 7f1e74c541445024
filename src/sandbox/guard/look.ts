import type { Stats } from 'node:fs';
import { statEntry } from '../../lib/files/entry-at.ts';
import { isAccessible } from '../../lib/files/exact-files.ts';
import { decodePath, join } from '../../lib/files/exact-paths.ts';
import { listNames, readEntries } from '../../lib/files/list-if-there.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { listKnown, untold } from '../../lib/told.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';

// Here a missing name needs no guard, so what could not be read must not look like nothing.
export { listNames, readEntries, statEntry };

/** Whether this user may not list a directory, or not reach what is in it. Its owner's commands can change that. */
export function isClosed(directory: string): boolean {
  return !isAccessible(directory);
}

/** Whether nothing is in a directory. */
export function isKnownEmpty(directory: string): boolean {
  const names = listNames(directory);
  return names !== untold && names.length === 0;
}

/** By component, like `isWithin`, for paths that are already real: they contain no dots and no doubled slashes. */
export function isBelow(path: string, directory: string): boolean {
  if (directory === '/') return true;
  // Called some thousand times for each command: without a new string.
  return path.startsWith(directory) && (path.length === directory.length || path[directory.length] === '/');
}

/** Paths of the known directories in a directory, except links. */
export function listDirectories(directory: string): string[] {
  return listKnown(readEntries(directory))
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(directory, entry.name));
}

/** Resolves links of an existing path: a missing path stays as it is, and costs little. */
export function realIfThere(path: string): string {
  return openLooks().real(path);
}

export interface Looks {
  at(path: string): Stats | undefined;
  /** Like `realIfThere`. */
  real(path: string): string;
}

/** The same for many paths in a row that name each other: each is read once. Do not keep it. */
export function openLooks(): Looks {
  const [seen, led] = [new Map<string, Stats | undefined>(), new Map<string, string>()];
  const at = (path: string) => {
    if (!seen.has(path)) seen.set(path, statEntry(path));
    return seen.get(path);
  };
  return {
    at,
    real(path) {
      const known = led.get(path) ?? (at(path) === undefined ? path : resolveRealPath(path));
      led.set(path, known);
      return known;
    },
  };
}

const maxText = 64 * 1024;

/** A small text file, not a link. Paths in it are exact. */
export function readSmallText(path: string): string | undefined {
  const read = readBounded(path, maxText, { refusesLinks: true });
  return read.state === 'read' ? decodePath(read.bytes) : undefined;
}
