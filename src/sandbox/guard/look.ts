import type { Stats } from 'node:fs';
import { statEntry } from '../../lib/files/entry-at.ts';
import { type DirectoryEntry, listEntries, readdirSync } from '../../lib/files/exact-files.ts';
import { decodePath, join } from '../../lib/files/exact-paths.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';

// File system calls that never fail: unreadable paths count as missing.
export { statEntry };

export function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Undefined where it cannot be read. */
export function readEntries(directory: string): DirectoryEntry[] | undefined {
  try {
    return listEntries(directory);
  } catch {
    return undefined;
  }
}

/** By component, like `isWithin`, for paths that are already real: they contain no dots and no doubled slashes. */
export function isBelow(path: string, directory: string): boolean {
  if (directory === '/') return true;
  // Called some thousand times for each command: without a new string.
  return path.startsWith(directory) && (path.length === directory.length || path[directory.length] === '/');
}

/** Paths of the directories in a directory, except links. */
export function listDirectories(directory: string): string[] {
  const entries = readEntries(directory) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(directory, entry.name));
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
