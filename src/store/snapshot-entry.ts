import type { Stats } from 'node:fs';
import { isSettled } from '../lib/change-time.ts';
import type { IndexEntry } from '../workspace/git-index.ts';
import { type FileLook, permissionBits } from './file-look.ts';

/** One covered file as it was last seen. */
export interface SnapshotEntry {
  /** When these stay, nothing is read again. Undefined where it was never looked at. */
  stamp?: Stamp;
  /** Looked at so soon after its last change that another change could carry the same stamp. */
  isFresh: boolean;
  /** Permission bits; undefined for a link. */
  mode?: number;
  /** The hash of its bytes, or why there is none; undefined as long as only git's object is known. */
  state?: string;
  /** The object that holds its content, and the repository that has it. */
  blob?: { root: string; id: string; size: number };
  /** Its bytes are in the kept bytes. */
  isKept?: boolean;
  /** A record of this session names it. */
  isNoted?: boolean;
}

interface Stamp {
  inode: number;
  size: number;
  mtime: number;
  ctime: number;
  mode: number;
}

export { entryAt as statOf } from '../lib/entry-at.ts';

export function isSameStamp({ stamp }: SnapshotEntry, stat: Stats): boolean {
  return (
    stamp !== undefined &&
    stamp.ctime === stat.ctimeMs &&
    stamp.size === stat.size &&
    stamp.mtime === stat.mtimeMs &&
    stamp.inode === stat.ino &&
    stamp.mode === stat.mode
  );
}

/** What the stat alone says of a file or link; undefined for anything else. */
export function entryFrom(stat: Stats, now: number): SnapshotEntry | undefined {
  const { ino: inode, size, mtimeMs: mtime, ctimeMs: ctime, mode } = stat;
  if (!stat.isFile() && !stat.isSymbolicLink()) return undefined;
  const seen = { stamp: { inode, size, mtime, ctime, mode }, isFresh: isRecent(ctime, now) };
  return stat.isFile() ? { ...seen, mode: mode & permissionBits } : seen;
}

/** So lately that another change could carry the same time. */
export function isRecent(ctime: number, now: number): boolean {
  return !isSettled(ctime, now);
}

/** Whether git knows that the file holds what its object holds: as git itself tells, by size, times and inode. */
export function isClean(stat: Stats, entry: IndexEntry): boolean {
  const isSameKind = stat.isSymbolicLink()
    ? entry.mode === 0o120000
    : stat.isFile() && (entry.mode & 0o170000) === 0o100000;
  return (
    isSameKind &&
    stat.size >>> 0 === entry.size &&
    isSameTime(stat.mtimeMs, entry.mtime) &&
    isSameTime(stat.ctimeMs, entry.ctime) &&
    (entry.inode === 0 || stat.ino >>> 0 === entry.inode)
  );
}

/** Milliseconds are rounded a little; nanoseconds are missing where git was built without them. */
function isSameTime(time: number, [seconds, nanoseconds]: readonly [number, number]): boolean {
  if (Math.floor(time / 1000) !== seconds) return false;
  return nanoseconds === 0 || Math.abs(time - (seconds * 1000 + nanoseconds / 1e6)) < 0.01;
}

export function lookOf({ state, mode }: SnapshotEntry): FileLook {
  return { hash: state ?? null, ...(mode === undefined ? {} : { mode }) };
}

const hotMs = 30 * 60_000;
const maxHot = 200;

/** Files that were changed lately, the newest first: most likely to change again. */
export function findHot(entries: ReadonlyMap<string, SnapshotEntry>, now: number): string[] {
  const since = now - hotMs;
  return [...entries]
    .filter(([, { stamp }]) => stamp !== undefined && stamp.mtime > since)
    .toSorted(([, a], [, b]) => (b.stamp?.mtime ?? 0) - (a.stamp?.mtime ?? 0))
    .slice(0, maxHot)
    .map(([path]) => path);
}
