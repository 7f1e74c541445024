import { closeSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describeFileError } from '../../lib/files/files.ts';
import { openReal } from '../../lib/files/open-real.ts';
import type { RealPath } from '../../lib/files/real-places.ts';
import { hashBytes } from '../../lib/hash.ts';
import { getErrorCode } from '../../lib/result.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { findClosedAbove } from '../closed-directories.ts';
import { describeTooLarge } from '../snapshot/inspect.ts';
import { linkState, permissionBits } from './file-look.ts';

/** The present entry at a path. */
export type Present =
  | { kind: 'nothing' }
  /** `unkept`: how the snapshot names it where it is too large to be recorded. */
  | { kind: 'file'; bytes: Uint8Array; hash: string; mode: number; unkept?: string }
  /** A symbolic link, identified by its target. */
  | { kind: 'link'; hash: string }
  /** In the place of a file; removed with the last file in it. */
  | { kind: 'directory'; reason: string; isLink: true }
  /** A named pipe, socket or device in the place of a file: it holds nothing to keep, and is renamed. */
  | { kind: 'special'; reason: string; isLink?: true }
  /** `reason` completes "Cannot restore …: ". */
  | { kind: 'other'; reason: string; isLink?: true };

/** The same without its bytes: a plan for thousands of files of up to 50 MB cannot hold them all. */
export type Seen = Exclude<Present, { kind: 'file' }> | (Omit<PresentFile, 'bytes'> & { size: number });

type PresentFile = Extract<Present, { kind: 'file' }>;

export function forgetBytes(present: Present): Seen {
  if (present.kind !== 'file') return present;
  const { bytes, ...seen } = present;
  return { ...seen, size: bytes.length };
}

/** Reads again what was seen; undefined if it is no longer the same. */
export function readSeen(path: string, seen: Seen): Present | undefined {
  if (seen.kind !== 'file') return seen;
  const present = lookAt(path);
  return present.kind === 'file' && present.hash === seen.hash ? present : undefined;
}

const maxRead = 50 * 1024 * 1024;

/** Reads a file without following a link. */
export function lookAt(path: string): Present {
  const real = join(resolveRealPath(dirname(path)), basename(path)) as RealPath;
  if (real !== path) return movedAway;
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return { kind: 'nothing' };
    if (found.isSymbolicLink()) return { kind: 'link', hash: linkState(readlinkSync(path)) };
    if (found.isDirectory()) return { kind: 'directory', isLink: true, reason: notAFile };
    if (!found.isFile()) return { kind: 'special', isLink: true, reason: notAFile };
  } catch (error) {
    // A file is in the place of a directory, or the directory is closed: its content is not visible.
    if (
      getErrorCode(error) === 'ENOTDIR' ||
      (getErrorCode(error) === 'EACCES' && findClosedAbove(path).length > 0)
    )
      return { kind: 'nothing' };
    return unreadable(path, error);
  }
  return readPresent(real);
}

export function readPresent(path: RealPath): Present {
  const opened = openReal(path, undefined, { opensClosed: true });
  if (opened.state === 'missing') return { kind: 'nothing' };
  if (opened.state === 'moved') return movedAway;
  if (opened.state === 'failed') return unreadable(path, opened.error);
  const { stat, descriptor } = opened.value;
  if (descriptor === undefined) return { kind: 'other', isLink: true, reason: notAFile };
  try {
    if (stat.nlink > 1) return { kind: 'other', isLink: true, reason: hasOtherNames };
    if (stat.size > maxRead)
      return { kind: 'other', reason: `it is ${stat.size} bytes now, too large to keep.` };
    const bytes = readFileSync(descriptor);
    const unkept = describeTooLarge(stat);
    return {
      kind: 'file',
      bytes,
      hash: hashBytes(bytes),
      mode: stat.mode & permissionBits,
      unkept,
    };
  } catch (error) {
    return unreadable(path, error);
  } finally {
    closeSync(descriptor);
  }
}

function unreadable(path: string, error: unknown): Present {
  return { kind: 'other', reason: describeFileError(error, path, 'read').message };
}

const movedAway: Present = { kind: 'other', isLink: true, reason: 'a link now points elsewhere.' };
const hasOtherNames = 'it has other hard links, which would change too or be disconnected.';
const notAFile = 'it is no longer a regular file.';
