import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure, formatError, ok, type Result, usage } from '../lib/result.ts';
import type { Git } from '../workspace/worktrees/repository.ts';
import { maxRowBytes, type NewRow } from './engine.ts';

/** Base64 of this fits a row with its frame. */
const pieceBytes = Math.floor(maxRowBytes / 4) * 3 - 4096;
/** All of it is stored by the engine and copied by every worker. */
export const maxBundleBytes = 512 * 1024 * 1024;

/** A part of a history, in pieces that fit rows. */
export interface Bundle {
  pieces: string[];
}

/**
 * The history of `ref` beyond the commits that the receiver has. Undefined if it has all of it. `ref` is a whole name: a bundle
 * has no commits without one.
 */
export async function packHistory(
  git: Git,
  ref: string,
  has: readonly string[],
): Promise<Result<Bundle | undefined>> {
  const missing = await git(['rev-list', '--max-count=1', ref, ...has.map((commit) => `^${commit}`), '--']);
  if (!missing.ok) return missing;
  if (missing.value.trim() === '') return ok(undefined);
  const directory = mkdtempSync(join(tmpdir(), 'cadre-bundle-'));
  const file = join(directory, 'history');
  try {
    const made = await git(['bundle', 'create', '--quiet', file, ref, ...has.map((commit) => `^${commit}`)]);
    if (!made.ok) return made;
    const { size } = statSync(file);
    if (size > maxBundleBytes)
      return usage(
        `The history of this repository is too large for a remote agent: ${size} bytes, and the limit is ${maxBundleBytes}.`,
        'Work in a shallow clone, or without isolation: remote.',
      );
    return ok({ pieces: readPieces(file, size) });
  } catch (error) {
    return failure(`The history could not be packed: ${formatError(error)}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Adds the objects of a bundle to a repository. Git checks every object against its name. */
export async function unpackHistory(git: Git, pieces: readonly string[]): Promise<Result<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'cadre-bundle-'));
  const file = join(directory, 'history');
  try {
    for (const piece of pieces) writeFileSync(file, Buffer.from(piece, 'base64'), { flag: 'a', mode: 0o600 });
    const unpacked = await git(['bundle', 'unbundle', file]);
    return unpacked.ok ? ok(undefined) : unpacked;
  } catch (error) {
    return failure(`The history could not be unpacked: ${formatError(error)}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function readPieces(file: string, size: number): string[] {
  const pieces: string[] = [];
  const opened = openSync(file, 'r');
  try {
    for (let at = 0; at < size; ) {
      const bytes = Buffer.alloc(Math.min(pieceBytes, size - at));
      at += readSync(opened, bytes, 0, bytes.length, at);
      pieces.push(bytes.toString('base64'));
    }
  } finally {
    closeSync(opened);
  }
  return pieces;
}

/** Rows are appended together up to this size, so that no call is larger than servers take. */
const maxCallBytes = 8 * maxRowBytes;

/** In groups that are small enough for one call each. */
export function groupRows(rows: readonly NewRow[]): NewRow[][] {
  const groups: NewRow[][] = [];
  let weight = 0;
  for (const row of rows) {
    const bytes = row.body.length;
    const last = groups.at(-1);
    if (last && weight + bytes <= maxCallBytes) {
      last.push(row);
      weight += bytes;
    } else {
      groups.push([row]);
      weight = bytes;
    }
  }
  return groups;
}
