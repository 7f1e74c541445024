import { closeSync, constants } from 'node:fs';
import { breather } from '../breathe.ts';
import { randomIds } from '../ids.ts';
import { getErrorCode } from '../result.ts';
import { listKnown } from '../told.ts';
import { statEntry } from './entry-at.ts';
import { chmodSync, openSync, renameSync, rmdirSync, statSync, unlinkSync } from './exact-files.ts';
import { join } from './exact-paths.ts';
import { readEntries } from './list-if-there.ts';
import { descriptorPath } from './real-places.ts';

/**
 * Removes files that commands created, even in directories they closed. No link is followed, not even one that another process
 * puts in the place of a directory meanwhile: each directory is held while it is emptied (Linux; elsewhere it is found by its
 * name). Nothing that a command can write may be above `path`. Returns whether all of it was removed.
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
/** Another process may keep adding to a directory that it holds open. To the top we do so too, where the tree is deep. */
const maxAttempts = { below: 200, atTop: 2_000 };
/** Directories that are held at a time. What is deeper is moved up to the top first, so that a tree may have any depth. */
const maxDepth = 50;

/** Moves a directory up to the top, to be removed there. */
type Hoist = (path: string) => boolean;

function* removing(path: string): Generator<void, void> {
  const top = hold(path);
  if (!top) {
    attempt(() => unlinkSync(path));
    return;
  }
  const pile = randomIds.token(8);
  let moved = 0;
  const hoist = (inner: string) => {
    const move = () => renameSync(inner, join(top.path, `${pile}-${moved}`));
    const isMoved = attempt(move) || (openUp(inner) && attempt(move));
    if (isMoved) moved++;
    return isMoved;
  };
  try {
    // What was moved up is found there with the next attempt.
    yield* emptyOut(path, maxAttempts.atTop, () => clear(top.path, 1, hoist));
  } finally {
    top.close();
  }
}

/** Whether the directory was removed. Given up when none of its entries can be removed. */
function* emptyOut(
  directory: string,
  most: number,
  clearOnce: () => Generator<void, number>,
): Generator<void, boolean> {
  for (let attempts = 1; attempts <= most; attempts++) {
    const gone = yield* clearOnce();
    if (attempt(() => rmdirSync(directory))) return true;
    if (gone === 0) return false;
  }
  return false;
}

/** Returns the number of entries that left a directory, which is given as it is held. */
function* clear(directory: string, depth: number, hoist: Hoist): Generator<void, number> {
  widen(directory);
  let gone = 0;
  for (const entry of listKnown(readEntries(directory))) {
    yield;
    const path = join(directory, entry.name);
    const isGone = entry.isDirectory()
      ? depth < maxDepth
        ? yield* removeDirectory(path, depth + 1, hoist)
        : hoist(path)
      : attempt(() => unlinkSync(path));
    if (isGone) gone++;
  }
  return gone;
}

function* removeDirectory(path: string, depth: number, hoist: Hoist): Generator<void, boolean> {
  const held = hold(path);
  // Another process put something else in its place, or moved it away.
  if (!held) return attempt(() => unlinkSync(path));
  try {
    return yield* emptyOut(path, maxAttempts.below, () => clear(held.path, depth, hoist));
  } finally {
    held.close();
  }
}

interface Held {
  /** Leads to this directory, whatever its name leads to now. */
  path: string;
  close(): void;
}

/** Linux: a descriptor that names a place without opening it, so that nobody needs to be allowed to read it. */
const placeOnly = 0o10000000;

/** Undefined for everything but a directory. */
function hold(path: string): Held | undefined {
  if (process.platform !== 'linux')
    return statEntry(path)?.isDirectory() ? { path, close: () => {} } : undefined;
  try {
    const descriptor = openSync(path, placeOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    return { path: descriptorPath(descriptor), close: () => closeSync(descriptor) };
  } catch {
    return undefined;
  }
}

/** Whether it succeeded. */
function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    return getErrorCode(error) === 'ENOENT';
  }
}

function openUp(path: string): boolean {
  const held = hold(path);
  if (held) widen(held.path);
  held?.close();
  return held !== undefined;
}

/** Opens a held directory that a command closed, so that its owner can read it and remove its entries. */
function widen(path: string): void {
  try {
    const { mode } = statSync(path);
    if ((mode & 0o700) !== 0o700) chmodSync(path, mode | 0o700);
  } catch {
    // Not ours: then it cannot be removed either.
  }
}
