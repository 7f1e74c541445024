import { statEntry } from '../lib/files/entry-at.ts';
import { basename } from '../lib/files/exact-paths.ts';
import { isWithin } from '../workspace/paths.ts';
import { type CommandPlace, findCommandFiles } from './command-files.ts';
import { openCommandLook, scriptNames } from './command-look.ts';
import type { HarnessCommand } from './harness-command.ts';
import type { LedPlace } from './led-places.ts';
import { leaveOutLooking } from './looking-parts.ts';
import { findRunnerTargets } from './runner-targets.ts';

/**
 * Scripts in these directories that such commands run, as far as their text says. Other words of them are files and directories
 * of the project that people work on (`eslint --fix src/`, `grep -q x src/a.py`): only what looks as if it could be run is meant.
 */
export function findOwnScripts(
  commands: readonly HarnessCommand[],
  roots: readonly string[],
  place: Omit<CommandPlace, 'top' | 'look'>,
): LedPlace[] {
  const look = openCommandLook();
  return roots.flatMap((top) =>
    commands.flatMap(({ command, by, looksForPrograms }) =>
      [
        ...listScripts(command, { ...place, top, look }),
        ...(looksForPrograms ? findRunnerTargets(command, top) : []),
      ]
        .filter((path) => isWithin(path, top))
        .map((path) => ({ path, by, way: [] })),
    ),
  );
}

/** The scripts that a command of ours runs when it is started at the top of a directory, whether they exist or not. */
export function listScripts(command: string, place: CommandPlace): string[] {
  const isMissing = (path: string) => statEntry(path) === undefined;
  // What is called counts whatever its mode is now: a command can change that.
  const isRun = (path: string) =>
    place.look.isScript(path) ||
    (isMissing(path) && scriptNames.test(basename(path))) ||
    (isCalled(command, path) && !place.look.isDirectory(path));
  return findCommandFiles(leaveOutLooking(command), place).filter(isRun);
}

/** Whether a path has the place of a program in a command, or is asked for as one. */
function isCalled(command: string, path: string): boolean {
  return [...command.replace(/["'\\]/g, '').matchAll(calledWord)].some(([, word = '']) => {
    // What is computed before it is taken for the top, as in `$PWD/x`.
    const name = word.replace(/^(?:\$\{?\w+\}?)?(?:\.?\/+)*/, '');
    return name !== '' && path.endsWith(`/${name}`);
  });
}

const calledWord =
  /(?:^|[;&|(`\n!]|(?:^|\s)(?:then|do|else|elif|if|while|until|exec|command|source|\.|nohup|time|env|(?:ba|da|z)?sh|-x))\s*(?=[^\s;&|()<>`]*\/)([^\s;&|()<>`]+)/g;
