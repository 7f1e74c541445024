import type { CallWorkspace } from '../types.ts';
import { gitPlaces } from './git-moves.ts';
import type { Script } from './script.ts';

/** Where the git commands of a script look for their repository: its configuration may name programs to run. */
export function findGitDirectories(script: Script, workspace: CallWorkspace): string[] {
  const found = new Set<string>();
  for (const { command, effect } of script.all) {
    if (!effect.git) continue;
    for (const place of gitPlaces(effect.git.move, command.directories, workspace)) found.add(place);
    for (const directory of gitPlaces(undefined, command.directories, workspace)) found.add(directory);
  }
  return [...found];
}
