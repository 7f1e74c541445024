import { join } from '../lib/files/exact-paths.ts';
import { listKnown } from '../lib/told.ts';
import { findSharedFiles, formatIdentity } from '../places/shared-files.ts';
import { isBelow, readEntries, statEntry } from './guard/look.ts';

/**
 * Other names (hard links) of closed files in checkouts that commands see but do not write, which no survey covers: the main
 * checkout of a worktree, the checkout around a directory. Remembered for a while: hardly any closed file has another name.
 */
export class ClosedNames {
  readonly #known = new Map<string, { lookedAt: number; found: unknown }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The closed files that have other names somewhere. */
  findShared(closed: readonly string[]): ReadonlyMap<string, string> {
    return this.#keep(['files', ...closed], () => findSharedFiles(closed));
  }

  /** Their names in some checkouts. `apart`: directories in those that are looked at elsewhere, or hidden. */
  findNames(checkouts: readonly string[], closed: readonly string[], apart: readonly string[]): string[] {
    if (checkouts.length === 0) return [];
    const shared = this.findShared(closed);
    if (shared.size === 0) return [];
    return this.#keep(['names', ...checkouts, '', ...closed, '', ...apart], () =>
      checkouts.flatMap((top) => findNamesBelow(top, shared, apart)),
    );
  }

  #keep<T>(key: readonly string[], look: () => T): T {
    const name = key.join('\0');
    const before = this.#known.get(name);
    const lookedAt = this.now();
    if (before && lookedAt - before.lookedAt < staleMs) return before.found as T;
    const found = look();
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(name, { lookedAt, found });
    return found;
  }
}

const staleMs = 30_000;
const maxKnown = 100;
const maxEntries = 50_000;

function findNamesBelow(
  top: string,
  shared: ReadonlyMap<string, string>,
  apart: readonly string[],
): string[] {
  const found: string[] = [];
  const waiting = [top];
  let seen = 0;
  for (let at = 0; at < waiting.length && seen < maxEntries; at++) {
    const directory = waiting[at] ?? '';
    for (const entry of listKnown(readEntries(directory))) {
      seen++;
      const path = join(directory, entry.name);
      const isOpen = entry.name !== '.git' && !apart.some((one) => isBelow(path, one));
      if (entry.isDirectory() && isOpen) waiting.push(path);
      const stat = entry.isFile() ? statEntry(path) : undefined;
      if (stat && stat.nlink > 1 && shared.has(formatIdentity(stat))) found.push(path);
    }
  }
  return found;
}
