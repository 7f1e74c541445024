import type { CallWorkspace } from '../../places/types.ts';
import { readLiteral } from '../grammar/types.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import { gitPlaces } from './moves.ts';

/**
 * Where the git commands of a script look for their repository: its configuration may name programs to run, which are
 * switched off for the whole line. Empty where the line also changes that same repository with git (`git status && git
 * commit`): a user who allowed that wants its hooks to run, and they could run anything else.
 */
export function findGitDirectories(script: Script, workspace: CallWorkspace): string[] {
  const found = new Set<string>();
  for (const { command, effect } of script.all) {
    if (!effect.git) continue;
    for (const place of gitPlaces(effect.git.move, command.directories, workspace)) found.add(place);
    for (const directory of gitPlaces(undefined, command.directories, workspace)) found.add(directory);
  }
  const changed = new Set(
    script.all
      .filter(changesByGit)
      .flatMap(({ command }) => gitPlaces(undefined, command.directories, workspace)),
  );
  return [...found].every((place) => changed.has(place)) ? [] : [...found];
}

/** With options before the subcommand it may be about another repository. */
function changesByGit({ command, effect }: JudgedCommand): boolean {
  const [program, subcommand] = command.words.map(readLiteral);
  return program === 'git' && !effect.known && !effect.git && /^[a-z]/.test(subcommand ?? '');
}
