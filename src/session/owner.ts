import { linkSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeFileError, ensurePrivateDirectory } from '../lib/files/atomic.ts';
import { listNames } from '../lib/files/list-names.ts';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import { nameByProcess } from '../lib/files/temporary-names.ts';
import type { Ids } from '../lib/ids.ts';
import { isSameProcess, processMark } from '../lib/processes/mark.ts';
import { findOwned, sweepMarked } from '../lib/processes/process.ts';
import { fail, getErrorCode, ok, type Result, usage } from '../lib/result.ts';

/**
 * Which process has a session open: one file per session in `<home>/running`, made by the process that opens the
 * session and removed when it closes.
 */
interface Owner {
  pid: number;
  start: string;
}

/**
 * Claims a session for this process, since two writers would interleave its history. The file is made only if it does
 * not exist, so that one of two competing processes wins. A claim whose process is dead is ignored. Returns a function
 * that releases it.
 */
export function claimSession(
  home: string,
  sessionId: string,
  directory: string,
  ids: Ids,
  hint = 'Close it there, or continue in a copy with --fork-session.',
): Result<() => void> {
  const running = join(home, 'running');
  const path = join(running, `${sessionId}.json`);
  const attempts = 20;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const made = ensurePrivateDirectory(running);
    if (!made.ok) return made;
    const written = writeOwner(path);
    if (written === 'made') return ok(() => release(path, directory));
    if (written === 'gone') continue;
    if (written !== 'taken') return written;
    const owner = readOwner(path);
    if (owner && isSameProcess(owner)) return inUse(sessionId, owner, hint);
    clearDead(path, sessionId, ids);
  }
  return usage(`Session ${sessionId} is being opened by another process right now.`, 'Try again.');
}

/** True when a living process has the session open. */
export function isClaimed(home: string, sessionId: string): boolean {
  return findSessionOwner(home, sessionId) !== undefined;
}

export interface SessionOwner {
  pid: number;
  /** When it opened the session. */
  since: number;
}

/** The living process that has the session open. */
export function findSessionOwner(home: string, sessionId: string): SessionOwner | undefined {
  const path = join(home, 'running', `${sessionId}.json`);
  const owner = readOwner(path);
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return owner && since !== undefined && isSameProcess(owner) ? { pid: owner.pid, since } : undefined;
}

/**
 * Homes that this process has swept: "at the next start" means the start of a process, not of each of its sessions, of
 * which there may be a thousand.
 */
const swept = new Set<string>();

/** Ends processes that dead sessions left running: nothing outlives a `kill -9` and the next start. */
export function sweepDead(home: string, ids: Ids): void {
  if (swept.has(home)) return;
  swept.add(home);
  const running = join(home, 'running');
  for (const name of listNames(running)) {
    const path = join(running, name);
    if (isBeingMade(path)) continue;
    const owner = readOwner(path);
    if (!owner || !isSameProcess(owner)) clearDead(path, name.slice(0, name.indexOf('.json')), ids);
  }
}

const maxMakingMs = 60_000;

/** A claim that another process is writing right now: it has no owner yet, but it is not a leftover. */
function isBeingMade(path: string): boolean {
  if (!path.endsWith('.new')) return false;
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return written === undefined || Date.now() - written < maxMakingMs;
}

function inUse(sessionId: string, owner: Owner, hint: string): Result<never> {
  const where =
    owner.pid === process.pid ? 'already open here' : `open in another process (pid ${owner.pid})`;
  return usage(`Session ${sessionId} is ${where}.`, hint);
}

/** Moved before it is removed, so that only one of two processes clears it, and never a new claim. */
function clearDead(path: string, sessionId: string, ids: Ids): void {
  const away = `${path}.${ids.token(8)}.dead`;
  try {
    renameSync(path, away);
  } catch {
    return;
  }
  sweepMarked(sessionId);
  rmSync(away, { force: true });
}

/** Written aside and linked into place, so that a claim never appears without its owner. */
function writeOwner(path: string): 'made' | 'taken' | 'gone' | Result<never> {
  const aside = `${path}.${nameByProcess()}.new`;
  try {
    // Not synced: after a power loss its process is dead anyway.
    writeFileSync(aside, `${JSON.stringify(processMark(process.pid))}\n`, { mode: 0o600, flag: 'wx' });
    linkSync(aside, path);
    return 'made';
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return 'taken';
    // Another process cleared the directory meanwhile.
    return getErrorCode(error) === 'ENOENT' ? 'gone' : fail(describeFileError(error, path, 'write'));
  } finally {
    rmSync(aside, { force: true });
  }
}

function release(path: string, directory: string): void {
  rmSync(path, { force: true });
  for (const folder of [join(directory, 'tool-results'), join(directory, 'file-history'), directory])
    try {
      rmdirSync(folder);
    } catch {
      // Missing, or not empty: outputs and kept files stay with the transcript.
    }
}

function readOwner(path: string): Owner | undefined {
  try {
    const { pid, start } = JSON.parse(readBoundedText(path, maxOwnerBytes) ?? '');
    return typeof pid === 'number' && typeof start === 'string' ? { pid, start } : undefined;
  } catch {
    return undefined;
  }
}

const maxOwnerBytes = 4096;

/** A session whose process is dead, with its processes that still run. */
export interface Leftover {
  sessionId: string;
  pids: number[];
}

/** Sessions that were open when their process was killed. */
export function findDead(home: string): string[] {
  return claims(home).filter((sessionId) => !isClaimed(home, sessionId));
}

/** Leftovers that the next start would clear up. Changes nothing. */
export function findLeftovers(home: string): Leftover[] {
  return findDead(home).map((sessionId) => ({
    sessionId,
    pids: findOwned({ owner: sessionId }).map(({ pid }) => pid),
  }));
}

function claims(home: string): string[] {
  try {
    const names = readdirSync(join(home, 'running'));
    return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
  } catch {
    return [];
  }
}
