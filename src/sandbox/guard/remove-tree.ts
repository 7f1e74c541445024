import { breather } from '../../lib/breathe.ts';
import type { DirectoryEntry } from '../../lib/files/exact-files.ts';
import { renameSync, rmdirSync, unlinkSync } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { randomIds } from '../../lib/ids.ts';
import { getErrorCode } from '../../lib/result.ts';
import { listKnown, untold } from '../../lib/told.ts';
import { readEntries, statEntry } from './look.ts';
import { openUp } from './open-up.ts';

/**
 * Removes files that commands created, even in directories they closed; no link is followed. Returns whether all of it was
 * removed.
 */
export function removeTree(path: string, limitMs = defaultLimitMs): boolean {
  const end = performance.now() + limitMs;
  for (const _ of removing(path)) if (performance.now() > end) return false;
  return statEntry(path) === undefined;
}

export interface RemoveOptions {
  limitMs?: number;
  /** Awaited after each step. */
  pause?(): Promise<void> | undefined;
  signal?: AbortSignal;
}

/** The same in the background: signals are handled meanwhile. The rest can be removed later. */
export async function removeTreeMeanwhile(
  path: string,
  { limitMs = Number.POSITIVE_INFINITY, pause = breather(), signal }: RemoveOptions = {},
): Promise<boolean> {
  const end = performance.now() + limitMs;
  for (const _ of removing(path)) {
    if (performance.now() > end || signal?.aborted) return false;
    const rest = pause();
    if (rest) await rest;
  }
  return statEntry(path) === undefined;
}

const defaultLimitMs = 500;
/** Another process may keep adding to a directory that it holds open. */
const maxAttempts = 200;

/**
 * Each directory below is moved up to the top before it is walked. So every path is short, however deep the tree is, and time
 * grows with the number of entries alone.
 */
function* removing(top: string): Generator<void, void> {
  if (!statEntry(top)?.isDirectory()) {
    attempt(() => unlinkSync(top));
    return;
  }
  const pile = randomIds.token(8);
  let moved = 0;
  const moveUp = (path: string, parent: string) => {
    const up = join(top, `${pile}-${moved++}`);
    return attempt(() => renameSync(path, up), [parent, path]) ? up : undefined;
  };
  yield* emptyOut(top, function* removeAll() {
    const waiting: string[] = [];
    let gone = yield* clear(top, (path) => {
      waiting.push(path);
      return false;
    });
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const directory = path;
      const hoist = (inner: string) => {
        const up = moveUp(inner, directory);
        if (up !== undefined) waiting.push(up);
        return up !== undefined;
      };
      if (yield* emptyOut(directory, () => clear(directory, hoist))) gone++;
    }
    return gone;
  });
}

/** Whether the directory was removed. Given up when none of its entries can be removed. */
function* emptyOut(directory: string, clearOnce: () => Generator<void, number>): Generator<void, boolean> {
  for (let attempts = 1; attempts <= maxAttempts; attempts++) {
    const gone = yield* clearOnce();
    if (attempt(() => rmdirSync(directory))) return true;
    if (gone === 0) return false;
  }
  return false;
}

/** Removes files, and passes directories on; `take` returns whether one has left. Returns the number of removed entries. */
function* clear(directory: string, take: (path: string) => boolean): Generator<void, number> {
  let gone = 0;
  for (const entry of listed(directory)) {
    yield;
    const path = join(directory, entry.name);
    const isGone = entry.isDirectory() ? take(path) : attempt(() => unlinkSync(path), [directory]);
    if (isGone) gone++;
  }
  return gone;
}

function listed(directory: string): readonly DirectoryEntry[] {
  const found = readEntries(directory);
  if (found !== untold) return found;
  openUp(directory);
  return listKnown(readEntries(directory));
}

/** Whether it succeeded. Closed directories are opened for a second attempt. */
function attempt(act: () => void, closed: readonly string[] = []): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return true;
    if (getErrorCode(error) !== 'EACCES' || closed.length === 0) return false;
  }
  for (const path of closed) openUp(path);
  return attempt(act);
}
