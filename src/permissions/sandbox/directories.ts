import { chmodSync, type Dirent, type Stats } from 'node:fs';
import { join } from 'node:path';
import { holdDirectory } from '../../lib/hold-directory.ts';
import { entriesIn, entryAt } from './look.ts';
import { isInGit, isInstalled, longestPath, sortEntries } from './names.ts';
import { changeTimeOf } from './survey.ts';

/** How much more it takes to read a directory than to look at one. */
const readingCost = 4;

/**
 * The directories of a workspace, with the time of change when each was last read. A name cannot come into a directory
 * without changing that time, and nobody can set it; so those that have the old one need no second look. `met` is what
 * was found in those that have not.
 */
export class Directories {
  /** Where people work. */
  readonly #near = new Map<string, number>();
  /** Installed packages and what git keeps: many, and changed by few commands. */
  readonly #far = new Map<string, number>();
  /** Nothing was hidden before. */
  readonly #since: number;
  /** Protected paths, some of which were there before. */
  readonly met = new Set<string>();
  /** Directories that hold names which are no text. */
  readonly odd = new Set<string>();

  constructor(known: Iterable<readonly [path: string, time: number]>, since: number) {
    this.#since = since;
    for (const [path, time] of known) this.#zoneOf(path).set(path, time);
  }

  /** Looks at all of them, each a step that says what it cost. Directories that are new come at the end. */
  *round(): Generator<number, void> {
    // A map hands out what is added while it is gone through.
    for (const zone of [this.#near, this.#far])
      for (const [path, time] of zone) yield this.#visit(path, time, zone);
  }

  #visit(path: string, time: number, zone: Map<string, number>): number {
    const stat = entryAt(path);
    if (!stat?.isDirectory()) {
      zone.delete(path);
      return 1;
    }
    if (stat.ctimeMs === time) return 1;
    // Before it is read: what changes meanwhile has another time later.
    zone.set(path, changeTimeOf(path, stat));
    this.#take(path, entriesIn(path) ?? this.#opened(path, stat));
    return readingCost;
  }

  #take(directory: string, entries: readonly Dirent[]): void {
    const { met, deeper } = sortEntries(directory, entries);
    for (const path of met) this.met.add(path);
    this.odd.delete(directory);
    for (const path of deeper) {
      const zone = this.#zoneOf(path);
      if (Buffer.byteLength(path) > longestPath) this.met.add(path);
      else if (isNoText(path)) this.odd.add(directory);
      else if (!zone.has(path)) zone.set(path, 0);
    }
  }

  /** One that a command closed to hide something is opened again; one that was closed all along is not. */
  #opened(path: string, stat: Stats): Dirent[] {
    if (stat.ctimeMs < this.#since) return [];
    const held = holdDirectory(path);
    if (!held.ok) return [];
    try {
      chmodSync(held.value.path, stat.mode | 0o700);
      return entriesIn(join(held.value.path, '.')) ?? [];
    } catch {
      return [];
    } finally {
      held.value.close();
    }
  }

  #zoneOf(path: string): Map<string, number> {
    return isInstalled(path) || isInGit(path) ? this.#far : this.#near;
  }
}

/** Bytes that are no text are read as this. */
export function isNoText(name: string): boolean {
  return name.includes('\uFFFD');
}
