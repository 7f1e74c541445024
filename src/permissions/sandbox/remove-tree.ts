import { breather } from '../../lib/breathe.ts';
import { renameSync, rmdirSync, unlinkSync } from '../../lib/exact-files.ts';
import { join } from '../../lib/exact-paths.ts';
import { randomIds } from '../../lib/ids.ts';
import { codeOf } from '../../lib/result.ts';
import { entriesIn, entryAt } from './look.ts';
import { openUp } from './open-up.ts';

/** Removes what commands made, also where they closed a directory; no link is followed. Whether all of it is gone. */
export function removeTree(path: string, limitMs = defaultLimitMs): boolean {
  const end = performance.now() + limitMs;
  for (const _ of removing(path)) if (performance.now() > end) return false;
  return entryAt(path) === undefined;
}

export interface RemoveOptions {
  limitMs?: number;
  /** Awaited after each step. */
  pause?(): Promise<void> | undefined;
  signal?: AbortSignal;
}

/** The same beside other work: signals are heard meanwhile. What is left can be removed later. */
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
  return entryAt(path) === undefined;
}

const defaultLimitMs = 500;
/** Another process may go on adding to a directory that it holds open. */
const maxAttempts = 200;

/**
 * Each directory below is moved up to the top before it is gone through. So every path is short, however deep the tree is,
 * and the time it takes grows with the number of entries alone.
 */
function* removing(top: string): Generator<void, void> {
  if (!entryAt(top)?.isDirectory()) {
    attempt(() => unlinkSync(top));
    return;
  }
  const pile = randomIds.token(8);
  let count = 0;
  const waiting: string[] = [];
  function* empty(directory: string): Generator<void, void> {
    for (const entry of listed(directory)) {
      yield;
      const path = join(directory, entry.name);
      if (!entry.isDirectory()) attempt(() => unlinkSync(path), directory);
      else if (directory === top) waiting.push(path);
      else {
        const up = join(top, `${pile}-${count++}`);
        if (attempt(() => renameSync(path, up), directory, path)) waiting.push(up);
      }
    }
  }
  yield* empty(top);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop())
    for (let attempts = 0; attempts < maxAttempts; attempts++) {
      yield* empty(path);
      if (attempt(() => rmdirSync(path ?? ''), top)) break;
      // What cannot be removed is left: it is tried again another time.
      if (listed(path).length === 0 && attempts > 0) break;
    }
  attempt(() => rmdirSync(top));
}

function listed(directory: string): ReturnType<typeof entriesIn> & object {
  const found = entriesIn(directory);
  if (found) return found;
  openUp(directory);
  return entriesIn(directory) ?? [];
}

/** Whether it was done. What was closed is opened for a second attempt. */
function attempt(act: () => void, ...closed: string[]): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true;
    if (codeOf(error) !== 'EACCES' || closed.length === 0) return false;
  }
  for (const path of closed) openUp(path);
  return attempt(act);
}
