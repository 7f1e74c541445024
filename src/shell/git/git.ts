import { readLiteral, type ShellWord, type SimpleCommand } from '../grammar/types.ts';
import { type Effect, here, type PathUse } from '../programs/effect.ts';
import { readArguments } from '../programs/flags.ts';
import { readSpec } from '../programs/read-spec.ts';
import type { ProgramSpec } from '../programs/tool-spec.ts';
import {
  gitCommands,
  gitCompareFiles,
  gitListFlags,
  gitListingOperands,
  gitListings,
} from '../tables/git.data.ts';
import { joinMoves } from './moves.ts';
import { isPlainSetting } from './plain-settings.ts';
import { spellRevisions } from './revisions.ts';
import { searchedByGit } from './searches.ts';
import { describeGitLook, findComparers, gitUses } from './shows.ts';

/**
 * Options before the subcommand that change nothing. `--config-env` and `--exec-path` set what runs, and so does `-c` except
 * for listed settings.
 */
const harmless: ReadonlySet<string> = new Set([
  '--no-pager',
  '--no-optional-locks',
  '--literal-pathspecs',
  '--no-replace-objects',
  '-P',
]);

export function classifyGit(command: SimpleCommand): Effect {
  const words = command.words.slice(1);
  const moves: ShellWord[] = [];
  let at = 0;
  for (; at < words.length; at++) {
    const text = readLiteral(words[at]);
    const directory = words[at + 1];
    if (text === '-C' && directory) {
      moves.push(directory);
      at++;
    } else if (text === '-c' && isPlainSetting(readLiteral(directory))) at++;
    else if (text === undefined || !harmless.has(text)) break;
  }
  const effect = classifyBehind(command, words.slice(at), moves);
  const name = readLiteral(words[at]) ?? '';
  if (effect.known || !Object.hasOwn(gitCommands, name)) return effect;
  // Commands that a rule allows do not run programs of the repository either.
  const move = moves.length > 0 ? joinMoves(moves) : undefined;
  return moves.length > 0 && !move ? effect : { ...effect, git: move ? { move } : {} };
}

function classifyBehind(
  command: SimpleCommand,
  words: readonly ShellWord[],
  moves: readonly ShellWord[],
): Effect {
  const called = readLiteral(words[0]);
  if (called === undefined) return { known: false, reason: 'git with a computed subcommand' };
  // It prints what `git log --raw` does.
  const name = called === 'whatchanged' ? 'log' : called;
  const given = words.slice(1);
  const options = given.slice(0, findEndOfOptions(given));
  if (name === 'diff' && options.some((word) => readLiteral(word) === '--no-index'))
    return classifyCompareFiles(given, moves, command);
  const rest = choosing.has(name) ? spellRevisions(given).map(asOperand) : spellRevisions(given);
  const effect = classifySubcommand(name, rest);
  const read = readArguments(rest, findSpec(name) ?? noOptions);
  if (!effect.known || typeof read === 'string') return effect;
  const move = joinMoves(moves);
  // The settings of its repository could not be neutralized.
  if (!move) return { known: false, reason: 'git -C with a computed directory' };
  if (command.directories.length === 0 && !move.values?.every(({ text }) => text.startsWith('/')))
    return { known: false, reason: 'it is unclear which directory git would run in' };
  const git = describeGitLook(name, read, moves.length > 0 ? move : undefined);
  const place: PathUse = { kind: 'list', word: git.move ?? here, sweep: 'none', ofGit: true };
  const searched = name === 'grep' && git.untracked ? searchedByGit(git.words, git.move) : [];
  return { ...effect, uses: [place, ...effect.uses, ...gitUses(git), ...searched], git };
}

/** Behind `--` a word that looks like an option is a path. */
function findEndOfOptions(words: readonly ShellWord[]): number {
  const at = words.findIndex((word) => readLiteral(word) === '--');
  return at < 0 ? words.length : at;
}

/** Their operands only choose commits, and open no file: a computed one does no harm, unless it is an option. */
const choosing: ReadonlySet<string> = new Set(['log', 'rev-list', 'shortlog', 'merge-base', 'cherry']);

/** Of one word the beginning is in the text. */
function asOperand(word: ShellWord): ShellWord {
  const isText = word.single && !word.values && /^"?[A-Za-z0-9]/.test(word.text);
  return isText ? { ...word, isOperand: true } : word;
}

/** Compares any two files, with the settings of the repository that it happens to run in. */
function classifyCompareFiles(
  words: readonly ShellWord[],
  moves: readonly ShellWord[],
  { directories }: SimpleCommand,
): Effect {
  if (moves.length > 0 || directories.length === 0)
    return { known: false, reason: 'git diff --no-index with files in another directory' };
  const effect = readSpec('git diff', gitCompareFiles, words);
  const read = readArguments(words, gitCompareFiles);
  const compares = typeof read === 'string' ? [] : findComparers('diff', read);
  return effect.known ? { ...effect, git: { shows: 'nothing', words: [], compares } } : effect;
}

const noOptions: ProgramSpec = { why: '', flags: '', operands: 'text' };

function findSpec(name: string): ProgramSpec | undefined {
  if (Object.hasOwn(gitCommands, name)) return gitCommands[name];
  return Object.hasOwn(gitListings, name) ? gitListings[name] : undefined;
}

function classifySubcommand(name: string, words: SimpleCommand['words']): Effect {
  if (Object.hasOwn(gitCommands, name)) return readSpec(`git ${name}`, gitCommands[name], words);
  const listing = Object.hasOwn(gitListings, name) ? gitListings[name] : undefined;
  if (!listing) return { known: false, reason: `git ${name} is not on the list of read-only commands` };
  if (name === 'config' && words.some((word) => listsSettings.test(readLiteral(word) ?? '')))
    return { known: false, reason: 'git config: a list of settings may show secrets; name one setting' };
  const read = readArguments(words, listing);
  if (typeof read === 'string') return { known: false, reason: `git ${name}: ${read}` };
  const [first] = read.operands;
  // With an option before it `show` is not a subcommand, but a path to stash.
  if (name === 'stash' && first !== words[0])
    return { known: false, reason: 'git stash with an option first stashes changes' };
  if (name === 'remote' && readLiteral(first) === 'show' && read.operands.length > 1 && !read.flags.has('-n'))
    return { known: false, reason: 'git remote: it contacts another machine' };
  const wanted = gitListingOperands[name];
  const isListing = wanted
    ? wanted.test(first === undefined ? 'none' : (readLiteral(first) ?? ''))
    : first === undefined || name === 'config' || [...read.flags].some((flag) => gitListFlags.has(flag));
  if (!isListing)
    return { known: false, reason: `git ${name} ${first?.text ?? ''} may change the repository` };
  return readSpec(`git ${name}`, listing, words);
}

const listsSettings = /^(?:-l|--list|--get-regexp|--get-urlmatch|list)$/;
