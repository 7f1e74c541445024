import { closeSync, fstatSync, lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hashBytes } from '../lib/hash.ts';
import { holdDirectory } from '../lib/hold-directory.ts';
import type { IndexEntry } from '../workspace/git-index.ts';
import { type FileLook, linkState, permissionBits } from './file-look.ts';
import { openToRead } from './open-to-read.ts';

/** What is known of one covered file. */
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

/** A file as it is now; `bytes` where it is a regular file that was read. */
export interface Inspected {
  entry: SnapshotEntry;
  bytes?: Uint8Array;
}

/** The kernel stamps files with a clock that ticks a few hundred times a second; some file systems are coarser. */
export const tickMs = 20;

/** Larger files are not kept. */
export const maxFileBytes = 10 * 1024 * 1024;

export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

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

/** What is known by a look alone. Undefined for anything but files and links. */
export function entryFrom(stat: Stats, now = Date.now()): SnapshotEntry | undefined {
  const { ino: inode, size, mtimeMs: mtime, ctimeMs: ctime, mode } = stat;
  if (!stat.isFile() && !stat.isSymbolicLink()) return undefined;
  const tick = ctime % 1000 === 0 ? 2000 : tickMs;
  const seen = { stamp: { inode, size, mtime, ctime, mode }, isFresh: Math.abs(now - ctime) <= tick };
  return stat.isFile() ? { ...seen, mode: mode & permissionBits } : seen;
}

/**
 * Reads a file, or what a link names, and follows no link on the way. Stamped by what was opened. Undefined where there
 * is neither.
 */
export function inspect(path: string): Inspected | undefined {
  const parent = holdDirectory(dirname(path));
  if (!parent.ok) return undefined;
  try {
    return inspectHere(join(parent.value.path, basename(path)), path);
  } finally {
    parent.value.close();
  }
}

function inspectHere(here: string, path: string): Inspected | undefined {
  const stat = statOf(here);
  const seen = stat && entryFrom(stat);
  if (!stat || !seen) return undefined;
  if (stat.isFile() && stat.size > maxFileBytes) return { entry: { ...seen, state: tooLarge(stat) } };
  try {
    return stat.isFile()
      ? readOpened(here, path)
      : { entry: { ...seen, state: linkState(readlinkSync(here)), isKept: true } };
  } catch {
    return { entry: { ...seen, state: 'unkept: it could not be read' } };
  }
}

function readOpened(here: string, path: string): Inspected | undefined {
  const file = openToRead(here, path);
  try {
    const opened = fstatSync(file);
    const entry = opened.isFile() ? entryFrom(opened) : undefined;
    if (!entry) return undefined;
    if (opened.size > maxFileBytes) return { entry: { ...entry, state: tooLarge(opened) } };
    const bytes = readFileSync(file);
    // Written meanwhile: looked at again the next time.
    const isFresh = entry.isFresh || !isSameStamp(entry, fstatSync(file));
    return { entry: { ...entry, isFresh, state: hashBytes(bytes) }, bytes };
  } finally {
    closeSync(file);
  }
}

/** With its times, so that another large content is another state. */
function tooLarge({ size, mtimeMs }: Stats): string {
  return `unkept: it is ${size} bytes, more than are kept (changed at ${mtimeMs})`;
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
export function findHot(entries: ReadonlyMap<string, SnapshotEntry>): string[] {
  const since = Date.now() - hotMs;
  return [...entries]
    .filter(([, { stamp }]) => stamp !== undefined && stamp.mtime > since)
    .toSorted(([, a], [, b]) => (b.stamp?.mtime ?? 0) - (a.stamp?.mtime ?? 0))
    .slice(0, maxHot)
    .map(([path]) => path);
}
