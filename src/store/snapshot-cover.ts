import { basename, join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { hashGitBlob } from '../lib/hash.ts';
import { readBounded } from '../lib/read-bounded.ts';
import { RealPlaces } from '../lib/real-places.ts';
import { findGitDirectory } from '../workspace/git-directory.ts';
import { type ChangedOther, SnapshotDirectories } from './snapshot-directories.ts';
import { entryFrom, isClean, type SnapshotEntry, statOf } from './snapshot-entry.ts';
import { inspect } from './snapshot-inspect.ts';
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

  /** The first look at files: what git does not have is kept. `isLate`: a command may have changed it already. */
  async take(
    listing: Listing,
    store: SnapshotStore,
    { pause, isLate }: { pause(): Promise<void> | undefined; isLate(time: number): boolean },
  ): Promise<void> {
    const filtered = rootsWithFilters(listing);
    const unknown: { path: string; listed: ListedFile; mtime: number }[] = [];
    for (const [path, listed] of listing.files) {
      await pause();
      this.directories.cover(path, this.tops);
      if (this.entries.has(path)) continue;
      const stat = statOf(path);
      const entry = stat && entryFrom(stat, this.clock.now());
      if (!stat || !entry) continue;
      const { entry: known, root, isRacy } = listed;
      if (known && !isRacy && !filtered.has(root) && stat.isFile() && isClean(stat, known))
        this.entries.set(path, { ...entry, blob: { root, id: known.id, size: stat.size } });
      else unknown.push({ path, listed, mtime: stat.mtimeMs });
    }
    // The newest first: most likely what the user is working on.
    const places = new RealPlaces();
    try {
      for (const { path, listed } of unknown.toSorted((a, b) => b.mtime - a.mtime)) {
        const rest = pause();
        // No directory is held while others run: it could be moved.
        if (rest) places.close();
        await rest;
        const entry = lookFirst(path, listed, { store, isLate, clock: this.clock, places });
        if (entry) this.entries.set(path, entry);
      }
    } finally {
      places.close();
    }
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

interface FirstLook {
  store: SnapshotStore;
  isLate(time: number): boolean;
  clock: Clock;
  /** Lent, since most files are in the directory of the one before. */
  places: RealPlaces;
}

function lookFirst(
  path: string,
  { root, entry: listed }: ListedFile,
  { store, isLate, clock, places }: FirstLook,
): SnapshotEntry | undefined {
  const found = inspect(path, clock, places);
  if (!found) return undefined;
  const { entry, bytes, changedAt = entry.stamp?.ctime ?? 0 } = found;
  if (isLate(changedAt))
    return { ...entry, isFresh: true, state: 'unkept: a command changed it before it was first looked at' };
  if (!bytes || entry.state === undefined) return entry;
  if (listed && listed.id === hashGitBlob(bytes))
    return { ...entry, blob: { root, id: listed.id, size: bytes.length } };
  return { ...entry, isKept: store.keep(bytes, entry.state) };
}

/** Repositories in which git may store other bytes than the files hold: there a file is compared before git is relied on. */
function rootsWithFilters({ files }: Listing): Set<string> {
  const roots = new Set([...files.values()].map(({ root }) => root));
  const filtered = new Set<string>();
  for (const root of roots) {
    const directory = findGitDirectory(root);
    if (directory !== undefined && namesFilter(join(directory, 'info', 'attributes'))) filtered.add(root);
  }
  for (const [path, { root }] of files)
    if (path.endsWith('.gitattributes') && basename(path) === '.gitattributes' && namesFilter(path))
      filtered.add(root);
  return filtered;
}

/** Other conversions, of line ends, change the size; a filter need not. What cannot be read may name one. */
function namesFilter(file: string): boolean {
  const read = readBounded(file, maxAttributes);
  if (read.state !== 'read') return read.state === 'unreadable';
  return /\b(filter|ident|working-tree-encoding)\b/.test(read.bytes.toString('utf8'));
}

const maxAttributes = 1024 * 1024;
