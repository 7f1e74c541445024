import { cpSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ensurePrivateDirectory } from '../../lib/files.ts';
import { holdDirectory } from '../../lib/hold-directory.ts';
import { randomIds } from '../../lib/ids.ts';
import { codeOf, messageOf } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text.ts';
import { isWithin } from '../../workspace/paths.ts';
import { appeared, type Exposure, lostLinks } from './exposure.ts';

/**
 * Takes away what a confined command made and may not make: files from which other programs take code or settings. They
 * cannot be kept from appearing, as those that exist can be kept from changing, so they are moved as soon as the command
 * is gone, and links that it removed are put back. Says what became of them.
 */
export function quarantine(before: Exposure, after: Exposure, directory: string): string[] {
  const fresh = appeared(before, after);
  const whole = fresh.filter((path) => !fresh.some((other) => other !== path && isWithin(path, other)));
  const place = join(directory, randomIds.token(8));
  const results = whole.map((path) => ({ path, problem: takeAway(path, place) }));
  const lost = lostLinks(before, after).map(({ path, target }) => ({ path, problem: putBack(path, target) }));
  const moved = results.filter(({ problem }) => problem === undefined);
  const left = [...results, ...lost].filter(({ problem }) => problem !== undefined);
  const restored = lost.filter(({ problem }) => problem === undefined);
  return [
    ...(moved.length > 0
      ? [`Protected paths that the command made were moved to ${place}: ${listed(moved)}`]
      : []),
    ...(restored.length > 0
      ? [`Protected links that the command removed were put back: ${listed(restored)}`]
      : []),
    ...(left.length > 0
      ? [`Protected paths that the command changed could not be set right; look at them: ${listed(left)}`]
      : []),
  ];
}

/** Names are of the command's choice; they must not pass for lines of ours. */
function listed(results: readonly { path: string; problem?: string | undefined }[]): string {
  return results
    .map(({ path, problem }) => `${visibleLine(path, 300)}${problem === undefined ? '' : ` (${problem})`}`)
    .join(', ');
}

/** Why it is still there; undefined when it is not. */
function takeAway(path: string, directory: string): string | undefined {
  const made = ensurePrivateDirectory(directory);
  if (!made.ok) return made.problem.message;
  return inPlace(path, (here) => move(here, join(directory, path.replaceAll('/', '_').slice(-200))));
}

function putBack(path: string, target: string): string | undefined {
  return inPlace(path, (here) => symlinkSync(target, here));
}

/** This runs with all rights: a link on the way must not lead it to files that the command itself could not touch. */
function inPlace(path: string, change: (here: string) => void): string | undefined {
  const parent = holdDirectory(dirname(path));
  if (!parent.ok) return parent.problem.message;
  try {
    change(join(parent.value.path, basename(path)));
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    parent.value.close();
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
