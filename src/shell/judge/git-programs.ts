import type { Decision } from '../../protocol/permission.ts';
import { findGitDirectories } from '../git/directories.ts';
import { gitPlaces, joinMoves } from '../git/moves.ts';
import { splitGit } from '../git/writes.ts';
import { gitIs } from '../tables/git-subcommands.data.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import { readCommandName } from './command-words.ts';
import { askUntold, type OpenCase, skipsQuestions } from './shell-case.ts';

/**
 * Programs that a repository sets for itself, where they are not switched off: the line changes the repository with git, and
 * a rule for that is a rule for its hooks, not for whatever else the repository names. `isSpelled`: the rule has every word.
 */
export function judgePrograms(
  given: OpenCase,
  { command }: JudgedCommand,
  script: Script,
  isSpelled: boolean,
): Decision[] {
  const { workspace } = given.call;
  if (given.inside || given.confined || isSpelled || skipsQuestions(given)) return [];
  if (!workspace.look || readCommandName(command) !== 'git') return [];
  const { name, moves } = splitGit(command.words.slice(1));
  if (gitIs(name, 'unfiltered') || findGitDirectories(script, workspace).length > 0) return [];
  const places = gitPlaces(moves.length > 0 ? joinMoves(moves) : undefined, command.directories, workspace);
  for (const place of places) {
    const found = workspace.look.ownProgram(place);
    if (found)
      return [
        askUntold(given, `git would run ${found.command}, which the repository sets (${found.setting})`),
      ];
  }
  return [];
}
