import { lstatSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { describeFileError, writeAtomic } from '../lib/atomic.ts';
import { hashBytes } from '../lib/hash.ts';
import { fail, failure, ok, type Problem, type Result } from '../lib/result.ts';
import type { FileHistoryRecord } from '../protocol/record.ts';

export interface RestoredFiles {
  restored: string[];
  /** Files that did not exist then. */
  removed: string[];
  problems: Problem[];
}

/**
 * Puts files back to how they were before the first of the given records: those from a point of the conversation
 * on, in order. `directory` holds the kept bytes. Nothing outside `roots` is touched, whatever links lead
 * there; one file's problem does not stop the others.
 */
export function restoreFiles(
  records: readonly FileHistoryRecord[],
  directory: string,
  roots: readonly string[],
): RestoredFiles {
  const outcome: RestoredFiles = { restored: [], removed: [], problems: [] };
  const earliest = new Map<string, string | null>();
  for (const { path, before } of records) if (!earliest.has(path)) earliest.set(path, before);
  for (const [path, before] of earliest) {
    const done = restoreFile(path, before, directory, roots);
    if (!done.ok) outcome.problems.push(done.problem);
    else if (before === null) outcome.removed.push(path);
    else outcome.restored.push(path);
  }
  return outcome;
}

function restoreFile(
  path: string,
  before: string | null,
  directory: string,
  roots: readonly string[],
): Result<void> {
  try {
    const place = realPlaceOf(path);
    if (!place || !roots.some((root) => isInside(realpathSync(root), place))) {
      return failure(`Cannot restore ${path}: it is outside the working directories.`);
    }
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found && !found.isFile())
      return failure(`Cannot restore ${path}: something else than a file is there now.`);
    if (before === null) {
      rmSync(place, { force: true });
      return ok(undefined);
    }
    const kept = readKept(directory, before);
    if (!kept.ok) return failure(`Cannot restore ${path}: ${kept.problem.message}`);
    mkdirSync(dirname(place), { recursive: true });
    return writeAtomic(place, kept.value, found ? found.mode & 0o777 : 0o644);
  } catch (error) {
    return fail(describeFileError(error, path, 'restore'));
  }
}

/** The path with every link in its directories followed; its own name is left as it is. */
function realPlaceOf(path: string): string | undefined {
  if (!isAbsolute(path) || normalize(path) !== path) return undefined;
  const parent = dirname(path);
  if (parent === path) return undefined;
  const real = realOrMissing(parent);
  return real === undefined ? undefined : join(real, basename(path));
}

/** A directory that is gone is placed in its nearest ancestor that is there. A dangling link leads nowhere. */
function realOrMissing(directory: string): string | undefined {
  if (lstatSync(directory, { throwIfNoEntry: false })) {
    try {
      return realpathSync(directory);
    } catch {
      return undefined;
    }
  }
  return realPlaceOf(directory);
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function readKept(directory: string, hash: string): Result<Uint8Array> {
  if (!/^[0-9a-f]{64}$/.test(hash)) return failure('its record does not name kept bytes.');
  const bytes = readFileSync(join(directory, hash));
  return hashBytes(bytes) === hash
    ? ok(bytes)
    : failure(`the kept bytes ${join(directory, hash)} are damaged.`);
}
