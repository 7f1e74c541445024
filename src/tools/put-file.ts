import { accessSync, chownSync, constants, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeAtomic } from '../lib/atomic.ts';
import { describeFileError } from '../lib/files.ts';
import { holdDirectory } from '../lib/hold-directory.ts';
import { fail, failure, ok, type Result } from '../lib/result.ts';
import { realPathOf } from '../workspace/real-path.ts';
import type { CurrentFile } from './current-file.ts';

/**
 * Writes a file where `path` leads, which is `real`, wholly or not at all. Its directory is held meanwhile: a command
 * that runs beside this could otherwise put a link in its place after everything was looked at.
 */
export function putFile(
  path: string,
  real: string,
  current: CurrentFile | null,
  bytes: Uint8Array,
): Result<void> {
  const made = makeDirectories(dirname(real), path);
  if (!made.ok) return made;
  const parent = holdDirectory(dirname(real));
  if (!parent.ok) return failure(changedMeanwhile(path));
  try {
    const here = join(parent.value.path, basename(real));
    const stat = statSync(here, { throwIfNoEntry: false });
    const version = stat ? versionOf(stat) : undefined;
    if (version !== current?.version || realPathOf(path) !== real) return failure(changedMeanwhile(path));
    const written = replace(here, current, bytes);
    return written.ok
      ? written
      : { ok: false, problem: named(written.problem, parent.value.path, dirname(real)) };
  } catch (error) {
    return fail(describeFileError(error, path, 'write'));
  } finally {
    parent.value.close();
  }
}

export function versionOf(stat: { ino: number; size: number; mtimeMs: number }): string {
  return `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

function changedMeanwhile(path: string): string {
  return `${path} was changed by somebody else at this moment, so nothing was written. Read it again.`;
}

/** One after the other, each in one that is held. */
function makeDirectories(directory: string, path: string): Result<void> {
  const missing: string[] = [];
  for (let up = directory; !statQuietly(up) && up !== dirname(up); up = dirname(up)) missing.unshift(up);
  for (const one of missing) {
    const parent = holdDirectory(dirname(one));
    if (!parent.ok) return failure(changedMeanwhile(path));
    try {
      mkdirSync(join(parent.value.path, basename(one)), { recursive: true });
    } catch (error) {
      return fail(describeFileError(error, path, 'write'));
    } finally {
      parent.value.close();
    }
  }
  return ok(undefined);
}

function statQuietly(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function named(
  problem: { kind: 'failure' | 'usage'; message: string; hint?: string },
  held: string,
  directory: string,
) {
  return { ...problem, message: problem.message.replaceAll(held, directory) };
}

function replace(here: string, current: CurrentFile | null, bytes: Uint8Array): Result<void> {
  if (current && current.links > 1) return overwrite(here, current.bytes, bytes);
  const written = writeAtomic(here, bytes, current?.mode ?? 0o666 & ~process.umask());
  if (!written.ok)
    return current && isDirectoryClosed(here) ? overwrite(here, current.bytes, bytes) : written;
  if (current) keepOwner(here, current);
  return written;
}

/** For a file with several names, and for one in a directory that may not be written. Puts the old content back when it fails half-way. */
function overwrite(here: string, before: Uint8Array, bytes: Uint8Array): Result<void> {
  try {
    writeFileSync(here, bytes, { flag: 'r+' });
    truncateSync(here, bytes.length);
    return ok(undefined);
  } catch (error) {
    try {
      writeFileSync(here, before, { flag: 'r+' });
      truncateSync(here, before.length);
    } catch {}
    return fail(describeFileError(error, here, 'write'));
  }
}

function isDirectoryClosed(here: string): boolean {
  try {
    accessSync(dirname(here), constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** Matters to root alone, who would otherwise take over the files of others. */
function keepOwner(here: string, current: CurrentFile): void {
  const { uid, gid } = current.owner;
  if (uid === process.geteuid?.() && gid === process.getegid?.()) return;
  try {
    chownSync(here, uid, gid);
  } catch {}
}
