import { untold } from '../../lib/told.ts';
import { credentialsAmong } from '../../places/credentials.ts';
import type { Look } from '../../places/look.ts';
import { isWholeTool } from '../../places/names.ts';
import { ask } from '../../places/reasons.ts';
import type { Decision, Rule } from '../../protocol/permission.ts';
import { gitPlaces, joinMoves } from '../git/moves.ts';
import { covers } from '../git/rules.ts';
import { splitGit } from '../git/writes.ts';
import { readLiteral, type ShellWord } from '../grammar/types.ts';
import { readArguments } from '../programs/flags.ts';
import { findGitFlags } from '../tables/git-subcommands.data.ts';
import type { JudgedCommand } from '../walk/script.ts';
import { readCommandName } from './command-words.ts';
import { mayMeetRule, type OpenCase, skipsQuestions } from './shell-case.ts';

/**
 * Git merges the changes of a file into the one that it takes for its new name, so what a rule refuses, or a mark of
 * credentials, would be lost with the old name. Asked about where such a file is on one side and not on the other; where the
 * sides are not in the text, wherever git keeps such a file. A clone or worktree of the repository has all files at other
 * paths, which a rule about certain directories does not name.
 */
export function judgeMerged(given: OpenCase, { command }: JudgedCommand): Decision[] {
  const { workspace } = given.call;
  const { look } = workspace;
  if (!look || readCommandName(command) !== 'git') return [];
  const { name, rest, moves } = splitGit(command.words.slice(1));
  const isCopy = copies(name, rest);
  const sides = isCopy ? 'unclear' : findSides(name, rest);
  if (!sides) return [];
  const rules = given.refusing.filter(
    (rule) => rule.tool === 'Read' && !isWholeTool(rule) && !(isCopy && holdsEverywhere(rule)),
  );
  const places = gitPlaces(moves.length > 0 ? joinMoves(moves) : undefined, command.directories, workspace);
  return places.flatMap((place) => [
    ...rules
      .filter((rule) => mayMove(findRuled(rule, given, place, look), sides, place, look))
      .map(mayMeetRule)
      .slice(0, 1),
    ...(skipsQuestions(given) || isCopy ? [] : judgeCredentials(place, sides, look)),
  ]);
}

/** By these everything that git keeps is at another place as well. */
function copies(name: string, rest: readonly ShellWord[]): boolean {
  const texts = rest.map(readLiteral);
  if (name === 'worktree') return texts[0] === 'add';
  const isElsewhere = /^(?!file:)[\w+.-]+:\/\/|^[^/]+:(?!\/\/)/;
  const isCloned = name === 'clone' || (name === 'submodule' && texts.includes('add'));
  return isCloned && !texts.some((text) => text !== undefined && isElsewhere.test(text));
}

/** A name without a slash holds at any depth, and so for a copy too. */
export function holdsEverywhere({ specifier = '' }: Rule): boolean {
  return !specifier
    .replace(/^\*\*\//, '')
    .replace(/\/$/, '')
    .includes('/');
}

/** Paths that git keeps or kept; undefined where these cannot be told. */
function findRuled(
  rule: Rule,
  { call: { workspace } }: OpenCase,
  place: string,
  look: Look,
): readonly string[] | undefined {
  const kept = look.tracked(place);
  const past = look.past(place);
  if (kept === untold || !past) return undefined;
  return [...new Set([...kept, ...past.paths])].filter((path) => covers(rule, path, workspace));
}

function judgeCredentials(place: string, sides: Sides, look: Look): Decision[] {
  const kept = look.tracked(place);
  const now = kept === untold ? [] : credentialsAmong(kept);
  const past = sides === 'unclear' ? [] : credentialsAmong(look.past(place)?.paths ?? []);
  const paths = [...new Set([...now, ...past])];
  if (!mayMove(paths, sides, place, look)) return [];
  return [
    ask(
      'protected-path',
      `${paths[0]} may hold credentials, and git may merge it into a file of another name`,
    ),
  ];
}

function mayMove(paths: readonly string[] | undefined, sides: Sides, place: string, look: Look): boolean {
  if (!paths) return true;
  if (paths.length === 0) return false;
  if (sides === 'unclear') return true;
  const moved = look.heldBySome(place, ['HEAD', ...sides], paths);
  return !moved || moved.length > 0;
}

/** The commits that are merged with the one that is checked out. */
type Sides = readonly string[] | 'unclear';

/** Undefined for a command that merges no files. */
function findSides(name: string, rest: readonly ShellWord[]): Sides | undefined {
  const texts = rest.map(readLiteral);
  const has = (pattern: RegExp) => texts.some((text) => text !== undefined && pattern.test(text));
  // By these nothing is merged: the files are those of one commit.
  if (has(/^--(?:abort|quit|ff-only)$/)) return undefined;
  const read = readArguments(rest, {
    ...{ why: '', flags: findGitFlags(name), operands: 'text', allowed: true },
  });
  const named = typeof read === 'string' ? [undefined] : read.operands.map(readLiteral);
  // The files of one side are moved to another directory.
  const isShifted = merging.test(name) && has(/subtree/);
  if (isShifted) return 'unclear';
  switch (name) {
    case 'checkout':
    case 'switch':
      return has(/^-[a-zA-Z]*m|^--(?:m|conf)/) ? plainNames(named) : undefined;
    case 'merge':
      return has(/^--continue$/) ? undefined : plainNames(named);
    case 'cherry-pick':
    case 'revert':
      return plainNames(named.flatMap((text) => [text, text && `${text}^`]));
    case 'stash':
      if (!/^(?:apply|pop|branch)$/.test(texts[0] ?? '')) return undefined;
      return named.length > 1 ? 'unclear' : ['stash@{0}'];
    case 'rebase':
    case 'pull':
    case 'am':
      return 'unclear';
    default:
      return undefined;
  }
}

const merging = /^(?:merge|cherry-pick|revert|rebase|pull)$/;

/** Of ranges, and of what is not in the text, other commits count as well. */
function plainNames(names: readonly (string | undefined)[]): Sides {
  const plain = names.filter(
    (name) => name !== undefined && /^[\w@][\w./@{}~^-]*$/.test(name) && !name.includes('..'),
  );
  return names.length > 0 && plain.length === names.length ? (plain as string[]) : 'unclear';
}
