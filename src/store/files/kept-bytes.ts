import { closeSync, lstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeFileError, ensurePrivateDirectory, writeAtomic } from '../../lib/files/atomic.ts';
import { systemDisk } from '../../lib/files/disk.ts';
import { openRegular } from '../../lib/files/open-regular.ts';
import { removeQuietly } from '../../lib/files/small-files.ts';
import { nameByProcess } from '../../lib/files/temporary-names.ts';
import { hashBytes } from '../../lib/hash.ts';
import { fail, failure, ok, type Result } from '../../lib/result.ts';

/** Stores bytes under their hash, once for each content. */
export function keepBytes(directory: string, bytes: Uint8Array, hash = hashBytes(bytes)): Result<string> {
  const path = join(directory, hash);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && found.size === bytes.length) return ok(hash);
  const made = ensurePrivateDirectory(directory);
  if (!made.ok) return made;
  const written = writeAtomic(path, bytes);
  return written.ok ? ok(hash) : written;
}

/**
 * The same for many files at once, without syncing, which would take a hundred times as long: the last ones may be lost in a
 * power failure. A loss is noticed on reading, by its hash.
 */
export function keepBytesSoon(directory: string, bytes: Uint8Array, hash = hashBytes(bytes)): Result<string> {
  const path = join(directory, hash);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && found.size === bytes.length) return ok(hash);
  const made = ensurePrivateDirectory(directory);
  if (!made.ok) return made;
  const temporary = join(directory, `.${nameByProcess()}.tmp`);
  try {
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
    return ok(hash);
  } catch (error) {
    removeQuietly(temporary, systemDisk);
    return fail(describeFileError(error, path, 'write'));
  }
}

export function isKept(directory: string, hash: string): boolean {
  return isHash(hash) && lstatSync(join(directory, hash), { throwIfNoEntry: false })?.isFile() === true;
}

/** Number of bytes; undefined where they are not kept. */
export function measureKept(directory: string, hash: string): number | undefined {
  return isHash(hash) ? lstatSync(join(directory, hash), { throwIfNoEntry: false })?.size : undefined;
}

export function readKept(directory: string, hash: string): Result<Uint8Array> {
  if (!isHash(hash)) return failure('its content was not kept: it could not be read, or was too large.');
  const path = join(directory, hash);
  try {
    const bytes = readOwn(path);
    return hashBytes(bytes) === hash ? ok(bytes) : failure(`its saved content ${path} is damaged.`);
  } catch (error) {
    return fail(describeFileError(error, path, 'read'));
  }
}

function readOwn(path: string): Uint8Array {
  const file = openRegular(path);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
