import { lstatSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from '../../lib/files/atomic.ts';
import { systemDisk } from '../../lib/files/disk.ts';
import { describeFileError } from '../../lib/files/files.ts';
import { type HeldDirectory, holdDirectory, holdNewDirectory } from '../../lib/files/hold-directory.ts';
import type { RealPath } from '../../lib/files/real-places.ts';
import { removeQuietly } from '../../lib/files/small-files.ts';
import { nameByProcess } from '../../lib/files/temporary-names.ts';
import { failure, getErrorCode, ok, type Result } from '../../lib/result.ts';
import type { SyncBatch } from '../../lib/sync-batch.ts';
import { openAbove } from '../closed-directories.ts';
import { linkState, permissionBits } from './file-look.ts';
import { removeHollow } from './hollow.ts';
import { forgetBytes, lookAt, readPresent, type Seen } from './present-file.ts';

/** The intended state of a file: its bytes and permissions, or the target of a link. */
export type Wanted = { bytes: Uint8Array; mode: number | undefined } | { target: string };

/**
 * Restores one file, fully or not at all: `wanted` null removes it. Its directory is held open meanwhile, as when a tool
 * writes, and what was `seen` must still be there. Idempotent. It is on disk when the batch is. A problem completes "Cannot
 * restore …: ".
 */
export function putBack(path: string, before: Seen, wanted: Wanted | null, batch: SyncBatch): Result<void> {
  const seen = openAbove(path) ? forgetBytes(lookAt(path)) : before;
  if (seen.kind === 'other') return failure(seen.reason);
  if (!wanted && seen.kind === 'nothing') return ok(undefined);
  const parent = holdParent(path, wanted !== null);
  if (!parent.ok) return parent;
  try {
    const here = join(parent.value.path, basename(path));
    if (!isAsSeen(here, path, seen)) return failure(movedMeanwhile);
    if (seen.kind === 'directory') removeHollow(path);
    if (!wanted) unlinkSync(here);
    else if ('target' in wanted) placeLink(here, wanted.target);
    else {
      const { bytes, mode } = wanted;
      batch.addFile(path, replaceFile(here, { bytes, mode: chooseMode(seen, mode) }));
    }
    batch.addDirectory(dirname(path), parent.value.path);
    return ok(undefined);
  } catch (error) {
    return failure(describeFailure(error, path));
  } finally {
    parent.value.close();
  }
}

/** Missing directories are created only where a file is restored. */
function holdParent(path: string, isMade: boolean): Result<HeldDirectory> {
  if (!isMade) {
    const held = holdDirectory(dirname(path));
    return held.ok ? held : failure(movedMeanwhile);
  }
  const made = holdNewDirectory(dirname(path));
  if (made.state === 'found') return ok(made.value);
  return failure(made.state === 'failed' ? describeFailure(made.error, path) : movedMeanwhile);
}

/** With the next step: the user may not know which directory it is about. */
export function describeFailure(error: unknown, path: string): string {
  const code = getErrorCode(error);
  if (code === 'EACCES' || code === 'EPERM')
    return `you have no write permission in ${dirname(path)} (${code}). Make it writable, then rewind to the same point again.`;
  if (code === 'ENOTEMPTY') return 'a directory that holds other files is in its place.';
  const { message, hint } = describeFileError(error, path, 'restore');
  return [message.replace(`Cannot restore ${path}: `, ''), hint].filter(Boolean).join(' ');
}

/** Created beside its place first, so that the path never disappears. */
function placeLink(here: string, target: string): void {
  const temporary = join(dirname(here), `.${nameByProcess()}.tmp`);
  symlinkSync(target, temporary);
  try {
    renameSync(temporary, here);
  } catch (error) {
    removeQuietly(temporary, systemDisk);
    throw error;
  }
}

export const movedMeanwhile = 'another process just changed it.';

function isAsSeen(here: string, path: string, seen: Exclude<Seen, { kind: 'other' }>): boolean {
  const found = lstatSync(here, { throwIfNoEntry: false });
  // A pipe or the like was renamed.
  if (seen.kind === 'nothing' || seen.kind === 'special') return found === undefined;
  if (seen.kind === 'directory') return found?.isDirectory() === true;
  if (seen.kind === 'link')
    return found?.isSymbolicLink() === true && linkState(readlinkSync(here)) === seen.hash;
  if (found?.isFile() !== true) return false;
  const present = readPresent(path as RealPath);
  return present.kind === 'file' && present.hash === seen.hash;
}

/** Where its mode is unknown: that of the existing file, or of any new file. */
function chooseMode(seen: Seen, mode: number | undefined): number {
  return permissionBits & (mode ?? (seen.kind === 'file' ? seen.mode : 0o666 & ~process.umask()));
}
