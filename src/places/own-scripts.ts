import { lstatSync } from 'node:fs';
import { basename } from '../lib/files/exact-paths.ts';
import { isWithin } from '../workspace/paths.ts';
import { type CommandPlace, findCommandFiles } from './command-files.ts';
import { openCommandLook, scriptNames } from './command-look.ts';
import type { HarnessCommand } from './harness-command.ts';
import type { LedPlace } from './led-places.ts';

/**
 * Scripts in these directories that such commands run, as far as their text says. Other words of them are files and directories
 * of the project that people work on (`eslint --fix src/`): only what looks as if it could be run is meant.
 */
export function findOwnScripts(
  commands: readonly HarnessCommand[],
  roots: readonly string[],
  { userHome, readWords }: Pick<CommandPlace, 'userHome' | 'readWords'>,
): LedPlace[] {
  const look = openCommandLook();
  const isRun = (path: string) =>
    look.isScript(path) || (scriptNames.test(basename(path)) && !lstatSync(path, { throwIfNoEntry: false }));
  return roots.flatMap((top) =>
    commands.flatMap(({ command, by }) =>
      findCommandFiles(command, { top, userHome, look, readWords })
        .filter((path) => isWithin(path, top) && isRun(path))
        .map((path) => ({ path, by, way: [] })),
    ),
  );
}
