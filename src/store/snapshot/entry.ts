import type { Stats } from 'node:fs';
import { isSettled } from '../../lib/files/change-time.ts';
import { type FileLook, permissionBits } from '../files/file-look.ts';

/** One covered file as it was last seen. */
export interface SnapshotEntry {
  /** When these stay, nothing is read again. Undefined where it was never looked at. */
  stamp?: Stamp;
  /** Of its last change, where no more is known of the stamp. */
  changeTime?: number;
  /** Since when it holds what it holds, where it was only touched later. */
  heldSince?: number;
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
  /** Listed and not read yet: `blob` is what git's index says of it, not what its bytes show. */
  isAssumed?: boolean;
}

/** The state of a file that git does not have, until its content was read. */
export const describeUnread = 'unkept: it was not recorded yet when a command changed it';

interface Stamp {
  inode: number;
  size: number;
  mtime: number;
  ctime: number;
  mode: number;
}

export { statEntry } from '../../lib/files/entry-at.ts';

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

/** Whether the time of its last change stayed, by which a change of its content would be told. */
export function isSameTime({ stamp, isFresh, changeTime }: SnapshotEntry, now: SnapshotEntry): boolean {
  const before = stamp ? (isFresh ? undefined : stamp.ctime) : changeTime;
  return before !== undefined && before === now.stamp?.ctime;
}

/** What the stat alone says of a file or link; undefined for anything else. */
export function buildSnapshotEntry(stat: Stats, now: number): SnapshotEntry | undefined {
  const { ino: inode, size, mtimeMs: mtime, ctimeMs: ctime, mode } = stat;
  if (!stat.isFile() && !stat.isSymbolicLink()) return undefined;
  const seen = { stamp: { inode, size, mtime, ctime, mode }, isFresh: isRecent(ctime, now) };
  return stat.isFile() ? { ...seen, mode: mode & permissionBits } : seen;
}

/** So lately that another change could carry the same time. */
export function isRecent(ctime: number, now: number): boolean {
  return !isSettled(ctime, now);
}

export function describeLook({ state, mode }: SnapshotEntry): FileLook {
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
