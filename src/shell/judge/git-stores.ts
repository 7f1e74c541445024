import { listKnown } from '../../lib/told.ts';
import { resolvePath } from '../../places/paths.ts';
import { holdsOwnSecret, isOwnSecret } from '../../places/protected.ts';
import { deny } from '../../places/reasons.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Decision } from '../../protocol/permission.ts';
import { gitPlaces, joinMoves } from '../git/moves.ts';
import { findGitLook } from '../git/rules.ts';
import { splitGit } from '../git/writes.ts';
import {
  everything,
  literalWord,
  readLiteral,
  type ShellWord,
  type SimpleCommand,
} from '../grammar/types.ts';
import { readArguments } from '../programs/flags.ts';
import { withoutValues } from '../programs/without-values.ts';
import { findGitFlags, gitIs } from '../tables/git-subcommands.data.ts';
import { asFound } from '../walk/broken-names.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import { readCommandName } from './command-words.ts';
import { judgeFilled, magic } from './judge-filled.ts';
import { judgePlace } from './judge-place.ts';
import type { OpenCase } from './shell-case.ts';
import { type ResolvedUse, resolveUses } from './uses.ts';

/* Files that git stores or stashes, with everything in them. From then on git shows them itself. */

/** Our own keys are stored nowhere. */
export function judgeStored(given: OpenCase, { command }: JudgedCommand): Decision[] {
  const { workspace } = given.call;
  const met = (given.inside ? [] : storedPlaces(command, workspace))
    .map((path) => resolvePath(path, workspace))
    .find((path) => holdsOwnSecret(path, workspace) || isOwnSecret(path, workspace));
  return met
    ? [deny('protected-path', `${met.given} holds Cadre's own keys, which no command may read`)]
    : [];
}

/** A part of the line that shows tracked files also shows what an earlier part stored: a rule may refuse it. */
export function judgeShownLater(given: OpenCase, one: JudgedCommand, script: Script): Decision[] {
  if (findGitLook(one)?.shows !== 'contents' || given.refusing.length === 0) return [];
  // Parts that run concurrently, or repeatedly, have no order.
  const isOrdered = script.parsed.overlaps.length === 0;
  const before = isOrdered ? script.all.slice(0, script.all.indexOf(one)) : script.all;
  return before
    .filter((other) => other !== one)
    .flatMap(({ command }) => storedPlaces(command, given.call.workspace))
    .map((path) => judgePlace(given, { kind: 'search', path, sweep: everything, byGit: true }))
    .filter(({ behaviour, by }) => behaviour !== 'allow' && by === 'rule');
}

/**
 * Files that a command stores by their names, or takes a message from: that is a reading of them, which a rule may refuse.
 * By a directory, or by all there is, none is named; git shows them under their own names later, and the rule holds then.
 */
export function judgeTaken(given: OpenCase, { command }: JudgedCommand): Decision[] {
  const rules = given.refusing.filter(({ tool }) => tool === 'Read');
  if (readCommandName(command) !== 'git' || rules.length === 0) return [];
  const { workspace } = given.call;
  const { name, rest, moves } = splitGit(command.words.slice(1));
  const words = findTaken(name, rest);
  if (words.length === 0) return [];
  const places = gitPlaces(moves.length > 0 ? joinMoves(moves) : undefined, command.directories, workspace);
  const inner = words
    .flatMap((word) => listKnown(resolveUses({ kind: 'read', word: asFound(word) }, places, workspace)))
    // What is in a directory that is refused with all that is in it.
    .flatMap((one) => (isWhole(one, workspace) ? [{ ...one, path: `${one.path}/x` }] : [one]));
  const patterns = words.flatMap((word) => judgeFilled(given, { ...command, directories: places }, word));
  return [...inner.map((one) => judgePlace(given, one)), ...patterns].filter(
    ({ behaviour, by, rule }) => behaviour !== 'allow' && by === 'rule' && rule?.tool === 'Read',
  );
}

function isWhole({ path, pattern }: ResolvedUse, { look }: CallWorkspace): boolean {
  return pattern === undefined && look?.isDirectory(path) === true;
}

/** Paths without the signs that git reads before them. */
function findTaken(name: string, rest: readonly ShellWord[]): readonly ShellWord[] {
  if (!gitIs(name, 'stores')) return [];
  const read = readArguments(rest, {
    ...{ why: '', flags: findGitFlags(name), operands: 'text', allowed: true },
  });
  const words =
    typeof read === 'string'
      ? withoutValues(rest, (text) => /^-\w*m$|^--m/.test(text)).flatMap(withValue)
      : [...(name === 'tag' ? [] : read.operands), ...read.files];
  return words.flatMap((word) => {
    const texts = word.values?.map(({ text }) => text.replace(magic, ''));
    const isPlain = word.values?.every(({ text }) => !magic.test(text));
    return isPlain || !texts ? [word] : texts.map(literalWord);
  });
}

/** The value of an option that is not known may be a file. */
function withValue(word: ShellWord): ShellWord[] {
  const text = readLiteral(word);
  if (!text?.startsWith('-')) return [word];
  const value = /^--[\w-]+=(.+)$/s.exec(text)?.[1] ?? /^-\w(.+)$/s.exec(text)?.[1];
  return value === undefined ? [] : [literalWord(value)];
}

function storedPlaces(command: SimpleCommand, workspace: CallWorkspace): string[] {
  if (readCommandName(command) !== 'git') return [];
  const { name, rest, moves } = splitGit(command.words.slice(1));
  const isGiven = (pattern: RegExp) => rest.some((word) => pattern.test(readLiteral(word) ?? ''));
  const isStash = name === 'stash' && isGiven(/^-\w*[ua]|^--(?:inc|all)/);
  if (!isStash && name !== 'add' && name !== 'stage') return [];
  const places = gitPlaces(moves.length > 0 ? joinMoves(moves) : undefined, command.directories, workspace);
  const isAll = isStash || isGiven(/^-\w*A|^--a|^:[/(]/);
  const named = rest
    .filter((word) => !readLiteral(word)?.startsWith('-'))
    .flatMap((word) => listKnown(resolveUses({ kind: 'read', word: asFound(word) }, places, workspace)))
    .map(({ path }) => path);
  return [...(isAll ? places : []), ...named];
}
