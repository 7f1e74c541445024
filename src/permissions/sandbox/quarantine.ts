import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory } from '../../lib/files.ts';
import { randomIds } from '../../lib/ids.ts';
import { codeOf, messageOf } from '../../lib/result.ts';
import { isWithin } from '../../workspace/paths.ts';

/**
 * Takes away what a confined command made and may not make: files from which other programs take code or settings. They
 * cannot be kept from appearing, as those that exist can be kept from changing, so they are moved as soon as the command
 * is gone. Says what became of them.
 */
export function quarantine(before: readonly string[], after: readonly string[], directory: string): string[] {
  const known = new Set(before);
  const fresh = after.filter((path) => !known.has(path));
  const whole = fresh.filter((path) => !fresh.some((other) => other !== path && isWithin(path, other)));
  if (whole.length === 0) return [];
  const place = join(directory, randomIds.token(8));
  const results = whole.map((path) => ({ path, problem: takeAway(path, place) }));
  const moved = results.filter(({ problem }) => problem === undefined).map(({ path }) => path);
  const left = results.flatMap(({ path, problem }) =>
    problem === undefined ? [] : [`${path} (${problem})`],
  );
  return [
    ...(moved.length > 0
      ? [`Protected paths that the command made were moved to ${place}: ${moved.join(', ')}`]
      : []),
    ...(left.length > 0
      ? [`Protected paths that the command made could not be taken away; remove them: ${left.join(', ')}`]
      : []),
  ];
}

/** Why it is still there; undefined when it is not. */
function takeAway(path: string, directory: string): string | undefined {
  const made = ensurePrivateDirectory(directory);
  if (!made.ok) return made.problem.message;
  try {
    move(path, join(directory, path.replaceAll('/', '_')));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false });
    rmSync(from, { recursive: true, force: true });
  }
}
