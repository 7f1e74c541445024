import type { Stats } from 'node:fs';
import { chmodSync, type DirectoryEntry } from '../lib/files/exact-files.ts';
import { basename, dirname, join } from '../lib/files/exact-paths.ts';
import { holdDirectory } from '../lib/files/hold-directory.ts';
import { type Told, untold } from '../lib/told.ts';
import { isApartInGit } from '../workspace/git/walk.ts';
import { isFromPeriod, type Period } from './guard/changes.ts';
import { isBelow, isClosed, readEntries, statEntry } from './guard/look.ts';
import { isInGit, isInstalled, isProtectedName, sortEntries } from './guard/names.ts';
import { describeDirectory, type KnownDirectory, withoutOwn } from './guard/survey.ts';

/** Cost of reading a directory, compared to a stat. */
const readingCost = 4;

/**
 * The directories of a workspace, with their change time when last read. A name cannot be added to a directory without
 * changing that time, and no program can set it; so those with the old time need no second look. `met` is what was found in
 * the others.
 */
export class Directories {
  /** Where users work. */
  readonly #near = new Map<string, KnownDirectory>();
  /** Git's data. */
  readonly #git = new Map<string, KnownDirectory>();
  /** Installed packages: many, and changed by few commands. */
  readonly #far = new Map<string, KnownDirectory>();
  /** Nothing was hidden before this time. */
  readonly #since: number;
  /** Protected paths, some of which existed before. */
  readonly met = new Set<string>();
  readonly #zones = [this.#near, this.#git, this.#far] as const;
  /** Directories that could not be read when they were last looked at. */
  readonly #unread = new Set<string>();
  /** Directories at paths where none was before, or another one: created or moved there. */
  readonly #arrived = new Set<string>();

  /** `apart`: our own directory. */
  constructor(
    known: Iterable<readonly [path: string, directory: KnownDirectory]>,
    since: number,
    private readonly apart: string,
  ) {
    this.#since = since;
    for (const [path, directory] of known) this.#zoneOf(path).set(path, directory);
  }

  /**
   * Whether a directory around a path came to its place in that period, so that the path is protected only since then. The
   * content of such a directory was not touched and has old times. A name with a dot is found anywhere, unless it takes two
   * names to be protected; others are found everywhere except in git directories.
   */
  isMoved(path: string, period: Period): boolean {
    const name = basename(path);
    if (name.startsWith('.')) return !isProtectedName('/', name) && this.#cameIn(dirname(path), period);
    for (let at = path, above = dirname(at); above !== at; at = above, above = dirname(at))
      if (this.#cameIn(above, period)) return true;
    return false;
  }

  /** A name cannot be added to a directory without changing it too. */
  #cameIn(directory: string, period: Period): boolean {
    return (
      this.#arrived.has(directory) &&
      isFromPeriod(statEntry(directory), period) &&
      isFromPeriod(statEntry(dirname(directory)), { since: period.since })
    );
  }

  /** Everything in its present place counts as existing before the next commands. */
  forgetMoves(): void {
    this.#arrived.clear();
  }

  /** Checks all of them, each a step that returns its cost. New directories come at the end. */
  *round(): Generator<number, void> {
    // A map also iterates over entries added during iteration.
    for (const zone of this.#zones) for (const [path, known] of zone) yield this.#visit(path, known, zone);
  }

  /** The same at once, limited to this many steps. */
  look(maxSteps: number): Look {
    let left = maxSteps;
    for (const zone of this.#zones)
      for (const [path, known] of zone) {
        if (left <= 0) return { isWhole: false, links: zone === this.#far ? this.#linksIn : unknown };
        left -= this.#visit(path, known, zone);
      }
    return { isWhole: this.#unread.size === 0, links: this.#linksIn };
  }

  /** Directories in which it is unknown what there is. */
  listUnread(): string[] {
    return [...this.#unread];
  }

  /** Call it right after all of git's data was checked. */
  readonly #linksIn: KnownLinks = (data) => {
    if (!this.#git.has(data)) return undefined;
    const links: string[] = [];
    for (const [path, known] of this.#git) {
      // Nearly all of them, so where they are does not matter.
      if (known.links?.length === 0) continue;
      if (!isBelow(path, data) || isApartInGit(path, data)) continue;
      if (!known.links) return undefined;
      links.push(...known.links);
    }
    return links;
  };

  #visit(path: string, known: KnownDirectory, zone: Map<string, KnownDirectory>): number {
    const stat = statEntry(path);
    if (!stat?.isDirectory()) {
      zone.delete(path);
      this.#unread.delete(path);
      return 1;
    }
    if (stat.ctimeMs === known.time && stat.ino === known.node) return 1;
    if (stat.ino !== known.node) this.#arrived.add(path);
    // Later changes will have a different time.
    const read = describeDirectory(stat);
    const entries = this.#read(path, stat);
    // Without a time it is read again at the next look.
    if (entries === untold) zone.set(path, { node: read.node, time: 0 });
    else zone.set(path, { ...read, links: this.#take(path, entries) });
    if (entries === untold) this.#unread.add(path);
    else this.#unread.delete(path);
    return readingCost;
  }

  #take(directory: string, entries: readonly DirectoryEntry[]): KnownDirectory['links'] {
    const { met, deeper, tooLong, links } = sortEntries(
      directory,
      withoutOwn(directory, entries, this.apart),
    );
    for (const path of [...met, ...tooLong]) this.met.add(path);
    for (const path of deeper) {
      const zone = this.#zoneOf(path);
      if (!zone.has(path)) this.#add(path, zone);
    }
    return links;
  }

  /** Its own turn may come only after a command was started: its identity is recorded now. */
  #add(path: string, zone: Map<string, KnownDirectory>): void {
    zone.set(path, { node: statEntry(path)?.ino ?? 0, time: 0 });
    this.#arrived.add(path);
  }

  /**
   * A directory that a command closed to hide something is opened again. One that was always closed is not: it is read-only
   * to commands. Untold where the system fails.
   */
  #read(path: string, stat: Stats): Told<DirectoryEntry[]> {
    const entries = readEntries(path);
    if (entries !== untold) return entries;
    if (stat.ctimeMs < this.#since) return isClosed(path) ? [] : untold;
    const held = holdDirectory(path);
    if (!held.ok) return untold;
    try {
      chmodSync(held.value.path, stat.mode | 0o700);
      return readEntries(join(held.value.path, '.'));
    } catch {
      // Another user's.
      return isClosed(path) ? [] : untold;
    } finally {
      held.value.close();
    }
  }

  #zoneOf(path: string): Map<string, KnownDirectory> {
    if (isInstalled(path)) return this.#far;
    return isInGit(path) ? this.#git : this.#near;
  }
}

/** Links in a git directory; undefined where unknown. */
export type KnownLinks = (data: string) => readonly string[] | undefined;

interface Look {
  isWhole: boolean;
  links: KnownLinks;
}

const unknown: KnownLinks = () => undefined;
