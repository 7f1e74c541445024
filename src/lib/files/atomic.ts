import { basename, dirname, join } from 'node:path';
import { randomIds } from '../ids.ts';
import { fail, ok, type Result } from '../result.ts';
import { type Disk, type DiskFile, systemDisk } from './disk.ts';
import { describeFileError, syncParentDirectory } from './files.ts';
import { removeQuietly } from './small-files.ts';

export { describeFileError, ensurePrivateDirectory } from './files.ts';

export interface FileOwner {
  uid: number;
  gid: number;
}

/**
 * Replaces a file's content completely or not at all, also on a full disk or a power cut. A symlink at `path` is replaced,
 * not followed: resolve it first to write to its target.
 */
export function writeAtomic(
  path: string,
  data: string | Uint8Array,
  mode = 0o600,
  /** Suffix of the new file's name until it is in place, for cleanup after a kill. */
  ending = `${randomIds.token(16)}.tmp`,
  /** The owner to keep. Matters to root alone, who would otherwise take over the files of others. */
  owner?: FileOwner,
  disk: Disk = systemDisk,
): Result<void> {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  try {
    replaceFile(path, { bytes, mode, ending, owner }, (file) => file.sync(), disk).close();
  } catch (error) {
    return fail(describeFileError(error, path, 'write'));
  }
  syncParentDirectory(path, disk);
  return ok(undefined);
}

export interface NewFile {
  bytes: Uint8Array;
  mode: number;
  ending?: string | undefined;
  owner?: FileOwner | undefined;
}

/**
 * The same for one of many files that are synced together (`SyncBatch`): returns it open, and throws the system's error.
 * `sync` is called before the file is in place.
 */
export function replaceFile(
  path: string,
  wanted: NewFile,
  sync: (file: DiskFile) => void = () => {},
  disk: Disk = systemDisk,
): DiskFile {
  const { ending = `${randomIds.token(16)}.tmp` } = wanted;
  const temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${ending}`);
  let file: DiskFile | undefined;
  try {
    file = disk.open(temporary, { access: 'write', create: 'new' });
    fill(file, wanted);
    sync(file);
    disk.rename(temporary, path);
    return file;
  } catch (error) {
    file?.close();
    removeQuietly(temporary, disk);
    throw error;
  }
}

function fill(file: DiskFile, { bytes, mode, owner }: NewFile): void {
  for (let done = 0; done < bytes.length; ) done += file.write(bytes, done);
  if (owner) keepOwner(file, owner);
  if (mode !== 0o600) file.chmod(mode);
}

/** Before the mode is set: a change of owner clears some of its bits. Not every file system has owners. */
function keepOwner(file: DiskFile, { uid, gid }: FileOwner): void {
  if (uid === process.geteuid?.() && gid === process.getegid?.()) return;
  try {
    file.chown(uid, gid);
  } catch {}
}
