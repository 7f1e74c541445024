import { closeSync, fstatSync, readFileSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { openReal } from '../../lib/files/open-real.ts';
import { type RealPath, RealPlaces } from '../../lib/files/real-places.ts';
import { hashBytes, openGitBlobHash } from '../../lib/hash.ts';
import { getErrorCode } from '../../lib/result.ts';
import { linkState } from '../files/file-look.ts';
import { buildSnapshotEntry, isSameStamp, type SnapshotEntry } from './entry.ts';

/** A file as it is now; `bytes` where it is a regular file that was read. */
export interface Inspected {
  entry: SnapshotEntry;
  bytes?: Uint8Array;
  /** The time of its last change, where reading it required a change of ours: for an unreadable file. */
  changedAt?: number;
}

/** Larger files are not kept. */
const maxFileBytes = 10 * 1024 * 1024;
/** Larger objects are left to git. */
export const maxBlobBytes = 50 * 1024 * 1024;
/** A large file is read in pieces of this size. */
const pieceBytes = 1024 * 1024;

/** A file that changes while it is read is read again, up to this many times in all. */
const maxAttempts = 3;

/**
 * Reads a file, or the target of a link, and follows no link on the way. The bytes and the stamp belong together: the file
 * did not change between them. Undefined where neither a file nor a link exists. A caller that inspects many files passes the
 * places, and closes them.
 */
export function inspect(path: string, clock: Clock, lent?: RealPlaces): Inspected | undefined {
  const places = lent ?? new RealPlaces();
  try {
    for (let attempt = 1; ; attempt++) {
      const look = places.look(path);
      const seen = look.state === 'found' ? buildSnapshotEntry(look.value, clock.now()) : undefined;
      if (look.state !== 'found' || !seen) return undefined;
      const read = look.value.isFile()
        ? readFile(path as RealPath, places, clock)
        : readLink(path, seen, places);
      if (read === 'unreadable') return { entry: { ...seen, state: 'unkept: it could not be read' } };
      if (read !== 'changing') return read;
      if (attempt === maxAttempts)
        return { entry: { ...seen, isFresh: true, state: 'unkept: it was being written' } };
    }
  } finally {
    if (!lent) places.close();
  }
}

type Read = Inspected | 'unreadable' | 'changing';

function readFile(path: RealPath, places: RealPlaces, clock: Clock): Read {
  const opened = openReal(path, places, { opensClosed: true });
  if (opened.state === 'failed') return 'unreadable';
  if (opened.state !== 'found' || opened.value.descriptor === undefined) return 'changing';
  try {
    const read = readOpened(opened.value.descriptor, clock);
    const { mode, ctimeMs } = opened.value.stat;
    const isClosed = (mode & 0o400) === 0;
    return isClosed && typeof read === 'object' ? { ...read, changedAt: ctimeMs } : read;
  } catch {
    return 'unreadable';
  } finally {
    closeSync(opened.value.descriptor);
  }
}

/** A command may truncate and write the file meanwhile: bytes from different moments are not its content. */
function readOpened(file: number, clock: Clock): Read {
  const stat = fstatSync(file);
  const entry = buildSnapshotEntry(stat, clock.now());
  if (!entry) return 'changing';
  const unkept = describeTooLarge(stat);
  if (unkept !== undefined) return { entry: { ...entry, state: unkept } };
  const bytes = readFileSync(file);
  if (bytes.length !== stat.size || !isSameStamp(entry, fstatSync(file))) return 'changing';
  return { entry: { ...entry, state: hashBytes(bytes) }, bytes };
}

function readLink(path: string, seen: SnapshotEntry, places: RealPlaces): Read {
  const directory = places.directory(dirname(path));
  if (directory.state !== 'found') return 'changing';
  try {
    const target = readlinkSync(join(directory.value, basename(path)));
    return { entry: { ...seen, state: linkState(target), isKept: true } };
  } catch {
    return 'changing';
  }
}

/** A file that is too large to be kept, but not too large to take git's copy when a command changes it. */
export function isOnlyForGit({ stamp, mode }: SnapshotEntry): boolean {
  return mode !== undefined && stamp !== undefined && stamp.size > maxFileBytes && stamp.size <= maxBlobBytes;
}

/** Whether a large file that is still as it was seen has the content of an object. */
export async function holdsBlob(
  path: string,
  seen: SnapshotEntry,
  id: string,
  pause: () => Promise<void> | undefined,
): Promise<boolean> {
  const opened = openReal(path as RealPath);
  if (opened.state !== 'found' || opened.value.descriptor === undefined) return false;
  const { stat, descriptor } = opened.value;
  try {
    const hash = openGitBlobHash(stat.size);
    const piece = Buffer.alloc(pieceBytes);
    for (let left = stat.size; left > 0; ) {
      await pause();
      const count = readSync(descriptor, piece, 0, Math.min(left, pieceBytes), null);
      if (count === 0) return false;
      hash.update(piece.subarray(0, count));
      left -= count;
    }
    return isSameStamp(seen, fstatSync(descriptor)) && hash.digest() === id;
  } catch (error) {
    if (getErrorCode(error) === undefined) throw error;
    return false;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The state of a file that is too large to be kept; undefined for others. Ends with size and time of change, so that
 * different large content is a different state; `describeUnkept` leaves them out.
 */
export function describeTooLarge({ size, mtimeMs }: Stats): string | undefined {
  if (size <= maxFileBytes) return undefined;
  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
  return `unkept: it was ${megabytes(size)} MB, and files above ${megabytes(maxFileBytes)} MB are not kept (${size} bytes, changed at ${mtimeMs})`;
}
