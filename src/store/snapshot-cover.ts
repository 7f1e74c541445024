import { dirname } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { hashGitBlob } from '../lib/hash.ts';
import { RealPlaces } from '../lib/real-places.ts';
import { type ChangedOther, SnapshotDirectories } from './snapshot-directories.ts';
import { type SnapshotEntry, statOf } from './snapshot-entry.ts';
import { holdsBlob, inspect, isOnlyForGit } from './snapshot-inspect.ts';
import type { SnapshotStore } from './snapshot-keep.ts';
import { findWatchable, type GitPlace, type ListedFile, type Listing } from './snapshot-listing.ts';

/** The covered files as they were last seen. */
export class Cover {
  readonly entries = new Map<string, SnapshotEntry>();
  readonly directories: SnapshotDirectories;
  readonly tops = new Set<string>();

  constructor(private readonly clock: Clock) {
    this.directories = new SnapshotDirectories(clock);
  }

  /**
   * The first look at files: what git does not have is kept. Git's index is not asked whether a file is as git has it: any
   * command may have written the index. `isLate`: a command may have changed the file already.
   */
  async take(
    listing: Listing,
    store: SnapshotStore,
    { pause, isLate }: { pause(): Promise<void> | undefined; isLate(time: number): boolean },
  ): Promise<void> {
    const ahead: { path: string; listed: ListedFile; mtime: number }[] = [];
    for (const [path, listed] of listing.files) {
      await pause();
      this.directories.cover(path, this.tops);
      const stat = this.entries.has(path) ? undefined : statOf(path);
      if (stat) ahead.push({ path, listed, mtime: stat.mtimeMs });
    }
    const large: typeof ahead = [];
    const places = new RealPlaces();
    try {
      for (const one of newestFirst(ahead)) {
        const rest = pause();
        // No directory is held while others run: it could be moved.
        if (rest) places.close();
        await rest;
        const entry = lookFirst(one.path, one.listed, { store, isLate, clock: this.clock, places });
        if (entry) this.entries.set(one.path, entry);
        if (entry && isOnlyForGit(entry)) large.push(one);
      }
    } finally {
      places.close();
    }
    for (const { path, listed } of large) await this.#takeLarge(path, listed, pause);
  }

  /** Too large to be kept: it can come back only where git has it. */
  async #takeLarge(
    path: string,
    { root, id }: ListedFile,
    pause: () => Promise<void> | undefined,
  ): Promise<void> {
    const { state: _, ...known } = this.entries.get(path) ?? { isFresh: true };
    if (id === undefined || !known.stamp || !(await holdsBlob(path, known, id, pause))) return;
    this.entries.set(path, { ...known, blob: { root, id, size: known.stamp.size } });
  }

  /** Names that are not covered. Directories without a file of interest are watched: one may come. */
  async takeOthers(
    directories: Iterable<string>,
    places: OtherPlaces & { isKnown(path: string): boolean },
  ): Promise<ChangedOther[]> {
    const others: ChangedOther[] = [];
    for (let ahead = [...directories]; ahead.length > 0; ) {
      const met = ahead.flatMap((directory) =>
        this.directories.takeOthers(directory, (path) => places.isKnown(path)),
      );
      const inside = met.flatMap(({ path, isDirectory }) =>
        isDirectory && !this.isApart(path, places) ? [path] : [],
      );
      ahead = await findWatchable(inside, this.tops, places);
      for (const path of ahead) this.directories.watch(path);
      others.push(...met.filter(({ path, isEmpty }) => !isEmpty && !this.directories.has(path)));
    }
    return others;
  }

  /** Worktrees of agents come and go; their branches are named elsewhere. */
  isApart(path: string, places: OtherPlaces): boolean {
    const isOwn = [...this.tops].some((top) => top.includes(worktrees) && path.startsWith(`${top}/`));
    return !isOwn && (`${path}/`.includes(worktrees) || places.isApart(path));
  }
}

export interface OtherPlaces extends GitPlace {
  /** Directories that are undone elsewhere, such as worktrees of agents. */
  isApart(path: string): boolean;
}

const worktrees = '/.cadre/worktrees/';

/** Most likely what the user is working on. Directory by directory, since entering one costs more than a small file in it. */
function newestFirst<T extends { path: string; mtime: number }>(files: readonly T[]): T[] {
  const byDirectory = [...Map.groupBy(files, ({ path }) => dirname(path)).values()];
  return byDirectory
    .map((inside) => ({ inside, newest: inside.reduce((most, { mtime }) => Math.max(most, mtime), 0) }))
    .toSorted((a, b) => b.newest - a.newest)
    .flatMap(({ inside }) => inside.toSorted((a, b) => b.mtime - a.mtime));
}

interface FirstLook {
  store: SnapshotStore;
  isLate(time: number): boolean;
  clock: Clock;
  /** Lent, since most files are in the directory of the one before. */
  places: RealPlaces;
}

function lookFirst(
  path: string,
  { root, id }: ListedFile,
  { store, isLate, clock, places }: FirstLook,
): SnapshotEntry | undefined {
  const found = inspect(path, clock, places);
  if (!found) return undefined;
  const { entry, bytes, changedAt = entry.stamp?.ctime ?? 0 } = found;
  if (isLate(changedAt))
    return { ...entry, isFresh: true, state: 'unkept: a command changed it before it was first looked at' };
  if (!bytes || entry.state === undefined) return entry;
  if (id !== undefined && id === hashGitBlob(bytes)) {
    const { state: _, ...known } = entry;
    return { ...known, blob: { root, id, size: bytes.length } };
  }
  return { ...entry, isKept: store.keep(bytes, entry.state) };
}
