import { dirname, join, resolve } from 'node:path';
import { mapTold, type Told, untold } from '../../lib/told.ts';
import { isWholeTool } from '../../places/names.ts';
import { ask, strictness } from '../../places/reasons.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Decision } from '../../protocol/permission.ts';
import { isWithin } from '../../workspace/paths.ts';
import { gitPlaces, joinMoves } from '../git/moves.ts';
import { readPathspecs } from '../git/pathspecs.ts';
import { splitGit } from '../git/writes.ts';
import { readLiteral, type ShellWord } from '../grammar/types.ts';
import { readArguments } from '../programs/flags.ts';
import { openCover } from '../rules/rule-cover.ts';
import { findGitFlags } from '../tables/git-subcommands.data.ts';
import type { JudgedCommand } from '../walk/script.ts';
import { readCommandName } from './command-words.ts';
import { mayMatter } from './removed-below.ts';
import { isFirm, mayMeetRule, type OpenCase, skipsQuestions } from './shell-case.ts';
import { isCritical } from './uses.ts';

/**
 * Files that `git rm` and `git clean` remove, by what git makes of their operands: `:`, `:/` and `:!x` are names of no file
 * and cover nearly all of them. The first takes tracked files, the second all others.
 */
export function judgeRemovedByGit(given: OpenCase, { command }: JudgedCommand): Decision[] {
  const { workspace } = given.call;
  if (given.inside || readCommandName(command) !== 'git' || !workspace.look) return [];
  const { name, rest, moves } = splitGit(command.words.slice(1));
  const texts = name === 'rm' || name === 'clean' ? readOperands(name, rest) : undefined;
  if (!texts) return [];
  const specs = readPathspecs(texts);
  const places = gitPlaces(moves.length > 0 ? joinMoves(moves) : undefined, command.directories, workspace);
  return places.flatMap((place) => {
    const top = workspace.look?.findCheckout(place) ?? place;
    const roots = specs.map(({ path, isFromTop }) => resolve(isFromTop ? top : place, path));
    const whole =
      name === 'rm' ? roots.find((path) => isCritical({ kind: 'remove', path }, workspace)) : undefined;
    return [
      ...(whole === undefined ? [] : [ask('protected-path', `removing ${whole} is always asked about`)]),
      ...roots.flatMap((root) => judgeBelow(given, root, place, name === 'rm')),
    ];
  });
}

/** Undefined where it removes no file, or where words are computed, which is asked about elsewhere. */
function readOperands(name: string, rest: readonly ShellWord[]): readonly string[] | undefined {
  const read = readArguments(rest, {
    ...{ why: '', flags: findGitFlags(name), operands: 'text', allowed: true },
  });
  const isUnread = typeof read === 'string';
  const words = isUnread ? rest.filter((word) => !readLiteral(word)?.startsWith('-')) : read.operands;
  const keeps = !isUnread && ['--cached', '-n', '--dry-run'].some((flag) => read.flags.has(flag));
  const texts = words.map(readLiteral);
  const known = texts.filter((text) => text !== undefined);
  if (keeps || known.length < texts.length) return undefined;
  // Without an operand `git rm` removes nothing.
  return name === 'rm' && known.length === 0 ? undefined : known;
}

function judgeBelow(given: OpenCase, root: string, place: string, isTracked: boolean): Decision[] {
  const { workspace } = given.call;
  const paths = listRemoved(root, place, isTracked, workspace);
  const rules = given.refusing.filter((rule) => rule.tool === 'Edit' && !isWholeTool(rule));
  if (paths === untold && skipsQuestions(given)) return rules.map(mayMeetRule).slice(0, 1);
  if (paths === untold)
    return [ask('protected-path', `the content of ${root} is unknown, or too large to check`)];
  const covers = rules.map((rule) => openCover(rule, 'write', workspace));
  const matters = (path: string) =>
    listWays(path, root).some((way) => mayMatter(way, way)) || covers.some((isAbout) => isAbout(path));
  return paths
    .filter(matters)
    .map((path) => given.judgePath('Edit', { kind: 'write', path }))
    .filter(isFirm)
    .sort((a, b) => strictness(b) - strictness(a))
    .slice(0, 1);
}

function listRemoved(
  root: string,
  place: string,
  isTracked: boolean,
  { look }: CallWorkspace,
): Told<readonly string[]> {
  const kept = look?.tracked(place) ?? untold;
  if (isTracked) return mapTold(kept, (paths) => paths.filter((path) => isWithin(path, root)));
  const held = look?.held(root) ?? untold;
  if (kept === untold || held === untold) return untold;
  const known = new Set(kept);
  const own = `${look?.findCheckout(place) ?? place}/.git`;
  return [root, ...held.map((inner) => join(root, inner))].filter((path) => !known.has(path) && path !== own);
}

/** The path, and the directories around it below the root. */
function listWays(path: string, root: string): string[] {
  const ways: string[] = [];
  for (let at = path; isWithin(at, root) && at !== dirname(at); at = dirname(at)) ways.push(at);
  return ways;
}
