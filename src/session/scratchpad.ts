import { lstatSync, rmdirSync } from 'node:fs';
import { ensurePrivateDirectory } from '../lib/files.ts';
import { failure, type Result } from '../lib/result.ts';

/**
 * Makes the session's scratchpad: private to the user, outside of every repository, gone with the session's other
 * files. A link in its place is somebody else's, and is not followed.
 */
export function makeScratchpad(path: string): Result<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isDirectory())
    return failure(`${path} is not a directory, so that there is no scratchpad.`, 'Move it away.');
  return ensurePrivateDirectory(path);
}

/** One that nobody wrote to is no use to anybody. */
export function removeUnused(path: string | undefined): void {
  if (path === undefined) return;
  try {
    rmdirSync(path);
  } catch {
    // Something is in it.
  }
}
