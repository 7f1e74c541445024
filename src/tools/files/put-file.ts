import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeAtomic } from '../../lib/files/atomic.ts';
import { describeFileError } from '../../lib/files/files.ts';
import { holdNewDirectory } from '../../lib/files/hold-directory.ts';
import type { RealPath } from '../../lib/files/real-places.ts';
import { fail, failure, ok, type Problem, type Result } from '../../lib/result.ts';
import type { CurrentFile } from './text-file.ts';

/**
 * Writes a file at `real`, where `path` led when it was judged, completely or not at all. Its directory is held open
 * meanwhile: a concurrent command could otherwise replace it with a link after the checks.
 */
export function putFile(
  path: string,
  real: RealPath,
  current: CurrentFile | null,
  bytes: Uint8Array,
): Result<void> {
  const parent = holdNewDirectory(dirname(real));
  if (parent.state === 'failed') return fail(describeFileError(parent.error, path, 'write'));
  if (parent.state !== 'found') return failure(changedMeanwhile(path));
  const held = parent.value;
  try {
    const here = join(held.path, basename(real));
    const stat = lstatSync(here, { throwIfNoEntry: false });
    const version = stat ? formatVersion(stat) : undefined;
    if (version !== current?.version) return failure(changedMeanwhile(path));
    const written = replace(here, current, bytes);
    return written.ok ? written : { ok: false, problem: named(written.problem, held.path, dirname(real)) };
  } catch (error) {
    return fail(describeFileError(error, path, 'write'));
  } finally {
    held.close();
  }
}

export function formatVersion(stat: { ino: number; size: number; mtimeMs: number }): string {
  return `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

function changedMeanwhile(path: string): string {
  return `${path} was just changed by another process, so nothing was written. Read it again.`;
}

function named(problem: Problem, held: string, directory: string): Problem {
  return { ...problem, message: problem.message.replaceAll(held, directory) };
}

function replace(here: string, current: CurrentFile | null, bytes: Uint8Array): Result<void> {
  if (current && current.links > 1) return overwrite(here, current, bytes);
  const mode = current?.mode ?? 0o666 & ~process.umask();
  const written = writeAtomic(here, bytes, mode, undefined, current?.owner);
  if (!written.ok && current && isDirectoryClosed(here)) return overwrite(here, current, bytes);
  return written;
}

/**
 * For a file with several names, or in a directory that is not writable. Restores the old content if it
 * fails half-way. The opened file must be the one that was read.
 */
function overwrite(here: string, current: CurrentFile, bytes: Uint8Array): Result<void> {
  let file: number | undefined;
  try {
    file = openSync(here, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (formatVersion(fstatSync(file)) !== current.version) return failure(changedMeanwhile(here));
    try {
      fill(file, bytes);
    } catch (error) {
      fill(file, current.bytes);
      throw error;
    }
    return ok(undefined);
  } catch (error) {
    return fail(describeFileError(error, here, 'write'));
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function fill(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, done);
  ftruncateSync(file, bytes.length);
}

function isDirectoryClosed(here: string): boolean {
  try {
    accessSync(dirname(here), constants.W_OK);
    return false;
  } catch {
    return true;
  }
}
