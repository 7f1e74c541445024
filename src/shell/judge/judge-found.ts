import { listKnown } from '../../lib/told.ts';
import type { Decision } from '../../protocol/permission.ts';
import { isWithin } from '../../workspace/paths.ts';
import { readLiteral } from '../grammar/types.ts';
import type { PathUse } from '../programs/effect.ts';
import { findGrantedEffect } from '../rules/granted.ts';
import { findEntered } from '../walk/entered.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import { readCommandName } from './command-words.ts';
import { judgeOwn, judgePlace } from './judge-place.ts';
import { isInPipeline } from './line-texts.ts';
import { isFirm, type OpenCase } from './shell-case.ts';
import { type ResolvedUse, resolveUses } from './uses.ts';

/*
 * Parts of a line that reach files through another part: names that a search outside the workspace finds, or a directory that
 * only a pattern names.
 */

/** Another part of the line may open what a search finds. */
export function judgeSearches(given: OpenCase, script: Script): Decision[] {
  const isOpening = script.all.some((one) => opensFound(one));
  if (!isOpening) return [];
  const searches = script.commands.flatMap((one, index) => (isInPipeline(script, index) ? one : []));
  const handed = script.all.filter(({ command }) =>
    command.words.some((word) => readLiteral(word) === '/dev/fd/9'),
  );
  const all = handed.length > 0 || script.all.some(takesInput) ? script.all : searches;
  return all.flatMap((one) => judgeSearch(given, one));
}

/** A command that reads files whose names are piped in, or that may do anything with them. */
function opensFound({ command, effect }: JudgedCommand): boolean {
  if (!effect.known) return command.wrapper?.kind !== 'through' && command.wrapper?.kind !== 'runs';
  return effect.uses.some(
    ({ kind, word }) =>
      (kind === 'read' || kind === 'search') && (!word.values || word.values.some(({ sweep }) => sweep)),
  );
}

function takesInput({ command }: JudgedCommand): boolean {
  return command.words.some(({ text, isInput }) => isInput || text === '(names)');
}

function judgeSearch(given: OpenCase, { command, effect }: JudgedCommand): Decision[] {
  if (!effect.known || !/^(?:find|fd|fdfind|rg|ls)$/.test(readCommandName(command))) return [];
  return effect.uses
    .filter(({ kind, sweep }) => kind === 'list' && sweep !== 'none')
    .flatMap((use) => listKnown(resolveUses(use, command.directories, given.call.workspace)))
    .flatMap((place) => judgeOpened(given, place, command.directories));
}

/** A place whose found entries another command opens: perhaps a directory with everything in it. */
export function judgeOpened(given: OpenCase, place: ResolvedUse, directories: readonly string[]): Decision[] {
  const own = judgeOwn(given, { ...place, kind: 'search', isOpened: true });
  // Names found in the command's own directory are judged with the command that opens them.
  const isElsewhere = !directories.some((directory) => isWithin(place.path, directory));
  const met = isElsewhere ? judgePlace(given, { ...place, kind: 'read', pattern: '**' }) : undefined;
  return [...(own ? [own] : []), ...(met?.by === 'rule' && isFirm(met) ? [met] : [])];
}

/** If a command's directory is unknown, it may be each one that the line goes to. */
export function judgeAstray(given: OpenCase, script: Script): Decision[] {
  const { workspace } = given.call;
  const astray = script.all.filter(({ command }) => command.directories.length === 0 || command.isAstray);
  if (astray.length === 0 || given.inside) return [];
  const entered = script.all.flatMap(({ command }) =>
    findEntered(command, script).flatMap((use) => listKnown(resolveUses(use, [workspace.cwd], workspace))),
  );
  const places = [...new Set(entered.flatMap((place) => expandPlace(place, given)))];
  const starts = new Map(script.commands.flatMap((one) => listStarts(one, one.command.directories)));
  return astray.flatMap((one) =>
    listUses(one)
      .flatMap((use) => listKnown(resolveUses(use, [...places, ...(starts.get(one) ?? [])], workspace)))
      .flatMap((place) => judgeGuessed(given, place)),
  );
}

/** `find -execdir` runs a command in each directory where it finds something: the names are below where find itself runs. */
function listStarts(
  { inner }: JudgedCommand,
  directories: readonly string[],
): [JudgedCommand, readonly string[]][] {
  return inner.flatMap((one) => {
    const { directories: own } = one.command;
    const known = own.length > 0 ? own : directories;
    return [
      [one, own.length > 0 ? [] : directories] as [JudgedCommand, readonly string[]],
      ...listStarts(one, known),
    ];
  });
}

function expandPlace({ path, pattern }: ResolvedUse, { call: { workspace } }: OpenCase): readonly string[] {
  if (pattern === undefined) return [path];
  return listKnown(workspace.look?.expand(path, pattern) ?? []).slice(0, maxGuesses);
}

const maxGuesses = 100;

function listUses({ command, effect, redirects }: JudgedCommand): readonly PathUse[] {
  const granted = effect.known ? effect : findGrantedEffect(command, effect.reason);
  const named = command.words.slice(1).map((word): PathUse => ({ kind: 'read', word }));
  return [...(granted?.known ? granted.uses : named), ...redirects];
}

function judgeGuessed(given: OpenCase, place: ResolvedUse): Decision[] {
  const decision = judgePlace(given, place);
  return decision.behaviour === 'deny' || decision.by === 'rule' ? [decision].filter(isFirm) : [];
}
