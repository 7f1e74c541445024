import { accessSync, constants, type Stats } from 'node:fs';
import { isSettled } from '../../lib/files/change-time.ts';
import { getErrorCode } from '../../lib/result.ts';
import { type FileLook, permissionBits } from '../files/file-look.ts';

/** One covered file as it was last seen. */
export interface SnapshotEntry {
  /** While these stay the same, nothing is read again. Undefined where it was never looked at. */
  stamp?: Stamp;
  /** The time of its last change, where the rest of the stamp is unknown. */
  changeTime?: number;
  /** Since when it has its content, where it was only touched later. */
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
  /** Listed and not read yet: `blob` comes from git's index, not from its bytes. */
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

/** Whether the time of its last change is unchanged; a change of content would change it. */
export function isSameTime({ stamp, isFresh, changeTime }: SnapshotEntry, now: SnapshotEntry): boolean {
  const before = stamp ? (isFresh ? undefined : stamp.ctime) : changeTime;
  return before !== undefined && before === now.stamp?.ctime;
}

/** The entry of a file or link from its stat alone; undefined for anything else. */
export function buildSnapshotEntry(stat: Stats, now: number): SnapshotEntry | undefined {
  const { ino: inode, size, mtimeMs: mtime, ctimeMs: ctime, mode } = stat;
  if (!stat.isFile() && !stat.isSymbolicLink()) return undefined;
  const seen = { stamp: { inode, size, mtime, ctime, mode }, isFresh: isRecent(ctime, now) };
  return stat.isFile() ? { ...seen, mode: mode & permissionBits } : seen;
}

/** So recently that another change could carry the same time. */
export function isRecent(ctime: number, now: number): boolean {
  return !isSettled(ctime, now);
}

export function describeLook({ state, mode }: SnapshotEntry): FileLook {
  return { hash: state ?? null, mode };
}

/** A directory that this user cannot enter holds nothing that their commands could change. */
export function mayBeEntered(directory: string): boolean {
  try {
    accessSync(directory, constants.X_OK);
    return true;
  } catch (error) {
    return getErrorCode(error) !== 'EACCES';
  }
}

const hotMs = 30 * 60_000;
const maxHot = 200;

/** Recently changed files, newest first: most likely to change again. */
export function findHot(entries: ReadonlyMap<string, SnapshotEntry>, now: number): string[] {
  const since = now - hotMs;
  const recent = [...entries].filter(([, { stamp }]) => stamp !== undefined && stamp.mtime > since);
  // In a new checkout these are all files: only the newest are put in order, and plain numbers are sorted much faster.
  const least = Float64Array.from(recent, readTime).sort().at(-maxHot) ?? since;
  return recent
    .filter((one) => readTime(one) >= least)
    .toSorted((a, b) => readTime(b) - readTime(a))
    .slice(0, maxHot)
    .map(([path]) => path);
}

function readTime([, { stamp }]: readonly [string, SnapshotEntry]): number {
  return stamp?.mtime ?? 0;
}
