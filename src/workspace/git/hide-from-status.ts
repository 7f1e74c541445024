import { closeSync, constants, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { holdNewDirectory } from '../../lib/files/hold-directory.ts';
import { openRegular } from '../../lib/files/open-regular.ts';
import { failure, formatError, getErrorCode, ok, type Result } from '../../lib/result.ts';
import { resolveRealPath } from '../real-path.ts';
import type { RunningCommands } from '../running-commands.ts';
import { readQuietly } from '../worktrees/repository.ts';

/**
 * Keeps git from showing or adding paths that a line of `.gitignore` would name. The line goes to the repository's private
 * list, not to `.gitignore`, which belongs to the project. That list may be a link: some users share one between
 * repositories. While a command runs that could have made the link, it is not followed.
 */
export function hideFromStatus(
  gitDirectory: string,
  line: string,
  running: RunningCommands | undefined,
): Result<void> {
  const path = join(resolveRealPath(gitDirectory), 'info', 'exclude');
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && !found.isFile()) return failure(`${path} is not a file.`);
    const text = found ? readQuietly(path) : '';
    if (text === undefined) return failure(`${path} cannot be read`, 'Expected a text file.');
    if (text.split('\n').includes(line)) return ok(undefined);
    const isReached = running && [gitDirectory, dirname(path), path].some(running.mayWrite);
    const added = `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
    return append(isReached ? path : resolveRealPath(path), added);
  } catch (error) {
    return failure(`${path} cannot be written: ${formatError(error)}`);
  }
}

const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** To the file of this path and to no other: no link is followed on the way. */
function append(path: string, text: string): Result<void> {
  const held = holdNewDirectory(dirname(path));
  if (held.state === 'failed') throw held.error;
  if (held.state !== 'found') return refuseLink(path);
  try {
    const descriptor = openRegular(join(held.value.path, basename(path)), appending, 0o666);
    try {
      writeSync(descriptor, text);
      return ok(undefined);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (getErrorCode(error) === 'ELOOP') return refuseLink(path);
    throw error;
  } finally {
    held.value.close();
  }
}

function refuseLink(path: string): Result<never> {
  return failure(
    `${path} was not written: it is a link, or in a linked directory, and a confined command that runs now could have made it.`,
    'Try again when the command has ended, or stop it.',
  );
}
