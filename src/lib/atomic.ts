import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describeFileError, syncDirectoryOf } from './files.ts';
import { randomIds } from './ids.ts';
import { fail, ok, type Result } from './result.ts';

export { describeFileError, ensurePrivateDirectory } from './files.ts';

export interface Owner {
  uid: number;
  gid: number;
}

/**
 * Replaces a file's content wholly or not at all, also on a full disk or a power cut. A symlink at `path` is
 * replaced, not followed: resolve it first where the target is meant.
 */
export function writeAtomic(
  path: string,
  data: string | Uint8Array,
  mode = 0o600,
  /** What the name of the new file ends with until it is in place, for whoever clears up after a kill. */
  ending = `${randomIds.token(16)}.tmp`,
  /** Whose file it stays. Matters to root alone, who would otherwise take over the files of others. */
  owner?: Owner,
): Result<void> {
  const temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${ending}`);
  try {
    writeNew(temporary, typeof data === 'string' ? Buffer.from(data) : data, mode, owner);
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    return fail(describeFileError(error, path, 'write'));
  }
  syncDirectoryOf(path);
  return ok(undefined);
}

function writeNew(path: string, bytes: Uint8Array, mode: number, owner: Owner | undefined): void {
  const file = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    if (owner) keepOwner(file, owner);
    if (mode !== 0o600) fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Before the mode is set: a change of owner takes bits of it away. Not every file system has owners. */
function keepOwner(file: number, { uid, gid }: Owner): void {
  if (uid === process.geteuid?.() && gid === process.getegid?.()) return;
  try {
    fchownSync(file, uid, gid);
  } catch {}
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {}
}
