import type { Stats } from 'node:fs';
import { statEntry } from '../../lib/files/entry-at.ts';
import { type DirectoryEntry, listEntries, readdirSync } from '../../lib/files/exact-files.ts';
import { decodePath, join } from '../../lib/files/exact-paths.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';

// Looks at the file system that never fail: what cannot be seen does not exist.
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

/** By component, like `isWithin`, for paths that are real already: they hold no dots and no doubled slashes. */
export function isBelow(path: string, directory: string): boolean {
  if (directory === '/') return true;
  // Asked some thousand times for each command: without a new string.
  return path.startsWith(directory) && (path.length === directory.length || path[directory.length] === '/');
}

/** Paths of the directories in a directory, but for links to others. */
export function listDirectories(directory: string): string[] {
  const entries = readEntries(directory) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(directory, entry.name));
}

/** Where links lead, for what is there: a path that does not exist stays as it is, and costs little. */
export function realIfThere(path: string): string {
  return openLooks().real(path);
}

export interface Looks {
  at(path: string): Stats | undefined;
  /** As `realIfThere` has it. */
  real(path: string): string;
}

/** The same for many paths in a row that name each other: each is looked at once. Not to be kept. */
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

/** A small text file, no link. Paths in it are exact. */
export function readSmallText(path: string): string | undefined {
  const read = readBounded(path, maxText, { refusesLinks: true });
  return read.state === 'read' ? decodePath(read.bytes) : undefined;
}
