import {
  chmodSync,
  closeSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describeFileError, writeAtomic } from '../lib/atomic.ts';
import { hashBytes } from '../lib/hash.ts';
import { type HeldDirectory, holdDirectory, holdNewDirectory } from '../lib/hold-directory.ts';
import { randomIds } from '../lib/ids.ts';
import { openReal } from '../lib/open-real.ts';
import type { RealPath } from '../lib/real-places.ts';
import { codeOf, fail, failure, ok, type Result } from '../lib/result.ts';
import { realPathOf } from '../workspace/real-path.ts';
import { linkState, permissionBits } from './file-look.ts';

/** What stands at a path now. */
export type Present =
  | { kind: 'nothing' }
  | { kind: 'file'; bytes: Uint8Array; hash: string; mode: number }
  /** A symbolic link, known by what it names. */
  | { kind: 'link'; hash: string }
  /** In the place of a file; goes with the last file that is removed from it. */
  | { kind: 'directory'; reason: string; isLink: true }
  /** `reason` completes "Cannot restore …: ". */
  | { kind: 'other'; reason: string; isLink?: true };

const mostRead = 50 * 1024 * 1024;

/** Looks at a file without following a link. */
export function lookAt(path: string): Present {
  const real = join(realPathOf(dirname(path)), basename(path)) as RealPath;
  if (real !== path) return movedAway;
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return { kind: 'nothing' };
    if (found.isSymbolicLink()) return { kind: 'link', hash: linkState(readlinkSync(path)) };
    if (found.isDirectory()) return { kind: 'directory', isLink: true, reason: notAFile };
  } catch (error) {
    // A file is in the place of a directory, or the directory is closed: nothing can be seen in it.
    if (codeOf(error) === 'ENOTDIR' || (codeOf(error) === 'EACCES' && findClosed(path).length > 0))
      return { kind: 'nothing' };
    return unreadable(path, error);
  }
  return readFile(real);
}

function readFile(path: RealPath): Present {
  const opened = openReal(path, undefined, { opensClosed: true });
  if (opened.state === 'missing') return { kind: 'nothing' };
  if (opened.state === 'moved') return movedAway;
  if (opened.state === 'failed') return unreadable(path, opened.error);
  const { stat, descriptor } = opened.value;
  if (descriptor === undefined) return { kind: 'other', isLink: true, reason: notAFile };
  try {
    if (stat.nlink > 1) return { kind: 'other', isLink: true, reason: hasOtherNames };
    if (stat.size > mostRead)
      return { kind: 'other', reason: `it is ${stat.size} bytes now, too large to keep.` };
    const bytes = readFileSync(descriptor);
    return { kind: 'file', bytes, hash: hashBytes(bytes), mode: stat.mode & permissionBits };
  } catch (error) {
    return unreadable(path, error);
  } finally {
    closeSync(descriptor);
  }
}

function unreadable(path: string, error: unknown): Present {
  return { kind: 'other', reason: describeFileError(error, path, 'read').message };
}

const movedAway: Present = { kind: 'other', isLink: true, reason: 'a link leads elsewhere now.' };
const hasOtherNames = 'it has other names (hard links), which would change too or be cut off.';
const notAFile = 'something other than a file is there now.';

/** What a file is to be: its bytes and permissions, or what a link is to name. */
export type Wanted = { bytes: Uint8Array; mode: number | undefined } | { target: string };

/**
 * Puts one file back, wholly or not at all: `wanted` null removes it. Its directory is held meanwhile, as when a tool
 * writes, and what was `seen` must still be there. Done twice it is the same as done once.
 */
export function putBack(path: string, before: Present, wanted: Wanted | null): Result<void> {
  const seen = openAbove(path) ? lookAt(path) : before;
  if (seen.kind === 'other') return failure(`Cannot restore ${path}: ${seen.reason}`);
  if (!wanted && seen.kind === 'nothing') return ok(undefined);
  const parent = holdParent(path, wanted !== null);
  if (!parent.ok) return parent;
  try {
    const here = join(parent.value.path, basename(path));
    if (!isAsSeen(here, path, seen)) return failure(movedMeanwhile(path));
    if (seen.kind === 'directory') rmdirSync(here);
    if (!wanted) unlinkSync(here);
    else if ('target' in wanted) placeLink(here, wanted.target);
    else return writeAtomic(here, wanted.bytes, modeFor(seen, wanted.mode));
    return ok(undefined);
  } catch (error) {
    return fail(describeFileError(error, path, 'restore'));
  } finally {
    parent.value.close();
  }
}

/** Opens directories that a command closed to their own owner. Whether there were any: then nothing could be seen before. */
function openAbove(path: string): boolean {
  let isAny = false;
  for (let [closed] = findClosed(path); closed !== undefined; [closed] = findClosed(path)) {
    const held = holdDirectory(closed);
    if (!held.ok) break;
    try {
      chmodSync(held.value.path, (statSync(held.value.path).mode & permissionBits) | 0o700);
      isAny = true;
    } catch {
      break;
    } finally {
      held.value.close();
    }
  }
  return isAny;
}

/** The directories above a file that are ours and that we cannot look into, as far as they can be seen. */
function findClosed(path: string): string[] {
  if (process.getuid?.() === 0) return [];
  const closed: string[] = [];
  for (let up = dirname(path); up !== dirname(up); up = dirname(up)) {
    const stat = entryAt(up);
    if (stat?.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o500) !== 0o500)
      closed.unshift(up);
  }
  return closed;
}

function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Missing directories are made only where a file is to come back. */
function holdParent(path: string, isMade: boolean): Result<HeldDirectory> {
  if (!isMade) {
    const held = holdDirectory(dirname(path));
    return held.ok ? held : failure(movedMeanwhile(path));
  }
  const made = holdNewDirectory(dirname(path));
  if (made.state === 'found') return ok(made.value);
  return made.state === 'failed'
    ? fail(describeFileError(made.error, path, 'restore'))
    : failure(movedMeanwhile(path));
}

/** Beside its place first, so that there is never nothing. */
function placeLink(here: string, target: string): void {
  const temporary = join(dirname(here), `.${randomIds.token(16)}.tmp`);
  symlinkSync(target, temporary);
  renameSync(temporary, here);
}

function movedMeanwhile(path: string): string {
  return `Cannot restore ${path}: another process changed it at this moment.`;
}

function isAsSeen(here: string, path: string, seen: Exclude<Present, { kind: 'other' }>): boolean {
  const found = lstatSync(here, { throwIfNoEntry: false });
  if (seen.kind === 'nothing') return found === undefined;
  if (seen.kind === 'directory') return found?.isDirectory() === true;
  if (seen.kind === 'link')
    return found?.isSymbolicLink() === true && linkState(readlinkSync(here)) === seen.hash;
  if (found?.isFile() !== true) return false;
  const present = readFile(path as RealPath);
  return present.kind === 'file' && present.hash === seen.hash;
}

/** Where it is not known which it had: those of the file that is there, or of any new file. */
function modeFor(seen: Present, mode: number | undefined): number {
  return permissionBits & (mode ?? (seen.kind === 'file' ? seen.mode : 0o666 & ~process.umask()));
}
