import { readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeFileError, ensurePrivateDirectory } from '../lib/atomic.ts';
import { sweepMarked } from '../lib/process.ts';
import { isSameProcess, processMark } from '../lib/process-mark.ts';
import { fail, ok, type Result, usage } from '../lib/result.ts';

/**
 * Marks a session as in use by this process, since two writers would interleave its history. A mark whose process
 * is gone counts for nothing, but says that it had no time to clear up: what it left running is ended. Returns what
 * takes the mark away.
 */
export function claimSession(directory: string, sessionId: string): Result<() => void> {
  const path = join(directory, 'owner.json');
  const owner = readOwner(path);
  const isAlive = owner !== undefined && isSameProcess(owner);
  if (isAlive && owner.pid !== process.pid)
    return usage(
      `Session ${sessionId} is open in another process (pid ${owner.pid}).`,
      'Close it there, or go on in a copy with --fork-session.',
    );
  if (owner && !isAlive) sweepMarked(sessionId);
  const made = ensurePrivateDirectory(directory);
  if (!made.ok) return made;
  try {
    // Not synced: a torn mark is no mark, and after a loss of power its process is gone anyway.
    writeFileSync(path, `${JSON.stringify(processMark(process.pid))}\n`, { mode: 0o600 });
  } catch (error) {
    return fail(describeFileError(error, path, 'write'));
  }
  return ok(() => release(path, directory));
}

/** True when a living process has the session open. */
export function isClaimed(directory: string): boolean {
  const owner = readOwner(join(directory, 'owner.json'));
  return owner !== undefined && isSameProcess(owner);
}

function release(path: string, directory: string): void {
  rmSync(path, { force: true });
  for (const folder of [join(directory, 'tool-results'), join(directory, 'file-history'), directory])
    try {
      rmdirSync(folder);
    } catch {
      // Not there, or not empty: outputs and kept files stay with the transcript.
    }
}

function readOwner(path: string): { pid: number; start: string } | undefined {
  try {
    const { pid, start } = JSON.parse(readFileSync(path, 'utf8'));
    return typeof pid === 'number' && typeof start === 'string' ? { pid, start } : undefined;
  } catch {
    return undefined;
  }
}
