import { readPathspecs } from '../git/pathspecs.ts';
import { searchedByGit } from '../git/searches.ts';
import { applyMoves, findGitOutputs, splitGit } from '../git/writes.ts';
import { readLiteral, type ShellWord } from '../grammar/types.ts';
import { landings } from '../judge/landings.ts';
import { type Effect, here, type PathUse, unknown } from '../programs/effect.ts';
import { readArguments } from '../programs/flags.ts';
import { findGitFlags, gitIs } from '../tables/git-subcommands.data.ts';
import { listMade } from './granted-clones.ts';

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
  if (name === 'clean' && operands.every((word) => coversAll(readLiteral(word))))
    return unknown('the command does not name the files that git clean would remove');
  const made = listMade(name, operands, typeof read === 'string' ? undefined : read.flags);
  if (typeof made === 'string') return unknown(made);
  const named = operands.filter((word) => word !== findTree(name, rest));
  const changed = made ?? (gitIs(name, 'changes') ? named.map(buildChange) : []);
  const moved = listMoved(name, operands);
  // Its options are unknown: it may read any file below.
  const searched =
    name === 'grep' ? [here, ...operands].flatMap((word) => searchedByGit([word], undefined)) : [];
  const apply = (word: ShellWord) => applyMoves(word, moves);
  const uses = [...outputs, ...searched, ...changed, ...listMoving(moved)].map((use) => ({
    ...use,
    word: apply(use.word),
  }));
  const [target, sources] = [moved.at(-1), moved.slice(0, -1)];
  const carries = target ? { carries: { sources: sources.map(apply), target: apply(target) } } : {};
  return { known: true, uses, ...carries };
}

/** What a checkout takes the files from: before `--` it is never a file, also where one has that name. */
function findTree(name: string, rest: readonly ShellWord[]): ShellWord | undefined {
  const end = rest.findIndex((word) => readLiteral(word) === '--');
  if (name !== 'checkout' || end < 0) return undefined;
  const before = rest.slice(0, end);
  const read = readArguments(before, { why: '', flags: findGitFlags(name), operands: 'text', allowed: true });
  return typeof read !== 'string' && read.operands.length === 1 ? read.operands[0] : undefined;
}

/** The places that it moves, and where to; empty for a command that moves nothing. */
function listMoved(name: string, operands: readonly ShellWord[]): readonly ShellWord[] {
  const isWorktree = name === 'worktree' && readLiteral(operands[0]) === 'move';
  const places = isWorktree ? operands.slice(1) : name === 'mv' ? operands : [];
  return places.length > 1 ? places : [];
}

/** Under another name a file could be read where this one cannot: moving it requires permission to read it. */
function listMoving(moved: readonly ShellWord[]): PathUse[] {
  const sources = moved.slice(0, -1);
  return [
    ...sources.map((word): PathUse => ({ kind: 'read', word, opensDirectories: true })),
    ...(moved.length > 0 ? landings(moved) : []),
  ];
}

/** The dot means the whole checkout: only a rule that names it applies to it. */
function buildChange(word: ShellWord): PathUse {
  return { kind: 'write', word, ...(coversAll(readLiteral(word)) ? {} : { whole: true as const }) };
}

/** Everything in the directory or in the checkout, or everything else than what it names. */
function coversAll(text: string | undefined): boolean {
  return text !== undefined && readPathspecs([text]).some(({ path }) => /^[./]*$/.test(path));
}
