import { dirname } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { RealPlaces } from '../../lib/files/real-places.ts';
import { hashGitBlob } from '../../lib/hash.ts';
import { type ChangedOther, SnapshotDirectories } from './directories.ts';
import { buildSnapshotEntry, describeUnread, type SnapshotEntry, statEntry } from './entry.ts';
import type { ListedFile } from './file-list.ts';
import { holdsBlob, type Inspected, inspect, isOnlyForGit } from './inspect.ts';
import type { SnapshotStore } from './keep.ts';
import { findCoverable, findWatchable, type Listing, type ListingPlace } from './listing.ts';

/** The covered files as they were last seen. */
export class Cover {
  readonly entries = new Map<string, SnapshotEntry>();
  readonly directories: SnapshotDirectories;
  readonly tops = new Set<string>();

  constructor(
    private readonly clock: Clock,
    miss: (reason: string) => void,
  ) {
    this.directories = new SnapshotDirectories(clock, miss);
  }

  /**
   * The first look at names: from here on every file is known to exist, with size and times, but without content. A file that
   * a command changes before it was read is restored from git, where its index names an object of that size; one that git
   * does not have is reported as lost.
   */
  async list(listing: Listing, { pause, isLate }: FirstLook): Promise<UnreadFile[]> {
    const unread: UnreadFile[] = [];
    for (const [path, listed] of listing.files) {
      await pause();
      this.directories.cover(path, this.tops);
      const stat = this.entries.has(path) ? undefined : statEntry(path);
      const seen = stat && buildSnapshotEntry(stat, this.clock.now());
      if (!stat || !seen) continue;
      const entry = stat.isSymbolicLink() ? inspect(path, this.clock)?.entry : assume(seen, listed, isLate);
      if (!entry) continue;
      this.entries.set(path, entry);
      if (!stat.isSymbolicLink()) unread.push({ path, listed, mtime: stat.mtimeMs });
    }
    return unread;
  }

  /**
   * The first look at content: content that git does not have is held. Git's index is not asked whether a file is unchanged,
   * because any command may have written the index. A file that a command changed or removed before it was read stays as it
   * was listed.
   */
  async take(unread: readonly UnreadFile[], store: SnapshotStore, look: FirstLook): Promise<void> {
    const large: UnreadFile[] = [];
    const places = new RealPlaces();
    try {
      for (const one of newestFirst(unread)) {
        const rest = look.pause();
        // No directory is held while others run: it could be moved.
        if (rest) places.close();
        await rest;
        const assumed = this.entries.get(one.path);
        const found = assumed?.isAssumed ? inspect(one.path, this.clock, places) : undefined;
        if (!assumed || !found || isChangedSince(assumed, found, look)) continue;
        const entry = lookFirst(found, one.listed, store);
        this.entries.set(one.path, entry);
        if (isOnlyForGit(entry)) large.push(one);
      }
    } finally {
      places.close();
    }
    for (const { path, listed } of large) await this.#takeLarge(path, listed, look.pause);
  }

  /** Files that were listed and are not read yet. */
  countUnread(): number {
    let count = 0;
    for (const { isAssumed } of this.entries.values()) if (isAssumed) count++;
    return count;
  }

  /** Too large to be kept: it can be restored only where git has it. */
  async #takeLarge(
    path: string,
    { root, id }: ListedFile,
    pause: () => Promise<void> | undefined,
  ): Promise<void> {
    const { state: _, ...known } = this.entries.get(path) ?? { isFresh: true };
    if (id === undefined || !known.stamp || !(await holdsBlob(path, known, id, pause))) return;
    this.entries.set(path, { ...known, blob: { root, id, size: known.stamp.size } });
  }

  /**
   * Names that are not covered. Directories without a covered file are watched, because one may appear. `late`: files
   * that appeared after the others were listed and are to be covered.
   */
  async takeOthers(
    directories: Iterable<string>,
    places: OtherPlaces & { isKnown(path: string): boolean; listedAt?: number },
  ): Promise<{ others: ChangedOther[]; late: string[] }> {
    const others: ChangedOther[] = [];
    const late: ChangedOther[] = [];
    for (let ahead = [...directories]; ahead.length > 0; ) {
      const met = ahead.flatMap((directory) =>
        this.directories.takeOthers(directory, (path) => places.isKnown(path), places.listedAt),
      );
      const inside = met.flatMap(({ path, isDirectory }) =>
        isDirectory && !this.isApart(path, places) ? [path] : [],
      );
      ahead = await findWatchable(inside, this.tops, places);
      for (const path of ahead) this.directories.watch(path);
      for (const one of met) {
        if (one.isLate) late.push(one);
        else if (!one.isEmpty && !this.directories.has(one.path)) others.push(one);
      }
    }
    const coverable = new Set(
      await findCoverable(
        late.map(({ path }) => path),
        this.tops,
        places,
      ),
    );
    for (const one of late.filter(({ path }) => !coverable.has(path))) {
      this.directories.takeOther(one);
      others.push(one);
    }
    return { others, late: [...coverable] };
  }

  /** Agents' worktrees come and go; their branches are named elsewhere. */
  isApart(path: string, places: OtherPlaces): boolean {
    const isOwn = [...this.tops].some((top) => top.includes(worktrees) && path.startsWith(`${top}/`));
    return !isOwn && (`${path}/`.includes(worktrees) || places.isApart(path));
  }
}

export interface OtherPlaces extends ListingPlace {
  /** Directories with their own undo, such as agents' worktrees. */
  isApart(path: string): boolean;
}

export interface FirstLook {
  pause(): Promise<void> | undefined;
  /** Whether a change at this time may be a command's. */
  isLate(time: number): boolean;
  /** Whether a command was started. */
  hasCommand(): boolean;
}

/** A file that was listed; its content is not known yet. */
export interface UnreadFile {
  path: string;
  listed: ListedFile;
  mtime: number;
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

/** Assumed state of a file that was listed and not yet read. */
function assume(seen: SnapshotEntry, { root, id }: ListedFile, isLate: FirstLook['isLate']): SnapshotEntry {
  const { ctime = 0, size = 0 } = seen.stamp ?? {};
  const entry = { ...seen, isFresh: true, isAssumed: true } as const;
  // A command may have written the index too.
  if (isLate(ctime)) return { ...entry, state: 'unkept: a command changed it before it was first read' };
  return id === undefined ? { ...entry, state: describeUnread } : { ...entry, blob: { root, id, size } };
}

/** Whether a file was changed after it was listed, probably by a command. */
function isChangedSince(
  { stamp }: SnapshotEntry,
  { entry, changedAt = entry.stamp?.ctime ?? 0 }: Inspected,
  { isLate, hasCommand }: FirstLook,
): boolean {
  if (isLate(changedAt)) return true;
  // Files in a directory that a command moved here keep their old times.
  const isSame = stamp?.inode === entry.stamp?.inode && stamp?.size === entry.stamp?.size;
  return !isSame && hasCommand();
}

function lookFirst(
  { entry, bytes }: Inspected,
  { root, id }: ListedFile,
  store: SnapshotStore,
): SnapshotEntry {
  if (!bytes || entry.state === undefined) return entry;
  if (id !== undefined && id === hashGitBlob(bytes)) {
    const { state: _, ...known } = entry;
    return { ...known, blob: { root, id, size: bytes.length } };
  }
  return { ...entry, isKept: store.hold(bytes, entry.state) };
}
