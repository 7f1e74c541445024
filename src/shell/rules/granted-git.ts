import { searchedByGit } from '../git/searches.ts';
import { applyMoves, findGitOutputs, splitGit } from '../git/writes.ts';
import { readLiteral, type ShellWord } from '../grammar/types.ts';
import { landings } from '../judge/landings.ts';
import { type Effect, here, type PathUse, unknown } from '../programs/effect.ts';
import { readArguments } from '../programs/flags.ts';
import { findGitFlags, gitIs } from '../tables/git-subcommands.data.ts';

/**
 * The files of a git command that a rule allows: those that it writes its output to, and those that it is told to change.
 * Files it restores from its history, and files in a patch, have names that are not in the text.
 */
export function grantedGit(words: readonly ShellWord[]): Effect | undefined {
  const { name, rest, moves } = splitGit(words);
  const outputs = findGitOutputs(name, rest);
  const read = readArguments(rest, {
    why: '',
    flags: findGitFlags(name),
    operands: 'text',
    allowed: true,
  });
  const operands =
    typeof read === 'string' ? rest.filter((word) => !readLiteral(word)?.startsWith('-')) : read.operands;
  if (name === 'apply' || name === 'am')
    return unknown(`the command does not name the files that git ${name} would change`);
  if (name === 'clean' && operands.length === 0)
    return unknown('the command does not name the files that git clean would remove');
  const changed = gitIs(name, 'changes') ? operands.map(buildChange) : [];
  const landed = name === 'mv' && operands.length > 1 ? landings(operands) : [];
  // Its options are unknown: it may read any file below.
  const searched =
    name === 'grep' ? [here, ...operands].flatMap((word) => searchedByGit([word], undefined)) : [];
  const uses = [...outputs, ...searched, ...changed, ...landed].map((use) => ({
    ...use,
    word: applyMoves(use.word, moves),
  }));
  return { known: true, uses };
}

/** The dot means the whole checkout: only a rule that names it applies to it. */
function buildChange(word: ShellWord): PathUse {
  const isAll = /^(?:\.|:\/|\*)$/.test(readLiteral(word) ?? '');
  return { kind: 'write', word, ...(isAll ? {} : { whole: true as const }) };
}
