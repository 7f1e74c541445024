import { appendFileSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { failure, formatError, ok, type Result } from '../../lib/result.ts';
import { readQuietly } from '../worktrees/repository.ts';

/**
 * Keeps git from showing or adding paths that a line of `.gitignore` would name. The line goes to the repository's private
 * list, not to `.gitignore`, which belongs to the project. That list may be a link: some users share one between
 * repositories.
 */
export function hideFromStatus(gitDirectory: string, line: string): Result<void> {
  const path = join(gitDirectory, 'info', 'exclude');
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && !found.isFile()) return failure(`${path} is not a file.`);
    const text = found ? readQuietly(path) : '';
    if (text === undefined) return failure(`${path} cannot be read`, 'Expected a text file.');
    if (text.split('\n').includes(line)) return ok(undefined);
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
    return ok(undefined);
  } catch (error) {
    return failure(`${path} cannot be written: ${formatError(error)}`);
  }
}
