import { basename } from 'node:path';
import type { Decision } from '../../protocol/permission.ts';
import { ask, deny } from '../reasons.ts';
import { here } from './effect.ts';
import { judgePlace } from './judge-place.ts';
import { isFirm, type OpenCase } from './shell-case.ts';
import { sweepOptions } from './sweeps.data.ts';
import { everything, literalOf, literalWord, type ShellWord, type SimpleCommand } from './types.ts';
import { isCritical, placesOf, type ResolvedUse } from './uses.ts';

/**
 * Files that the words of a command name, where nothing else is known of the command and a rule or the mode lets it run.
 * It may read and write each of them, so what a grant does not answer is still asked about or refused.
 */
export function judgeNamed(given: OpenCase, command: SimpleCommand): Decision[] {
  // In the sandbox protected files are read-only, and refused ones hidden.
  if (given.inside || keepsFiles(command)) return [];
  const words = [...command.words.slice(1), ...command.assignments.flatMap(({ word }) => word ?? [])];
  const removes =
    command.words.some((word) => removers.has(basename(literalOf(word) ?? ''))) && !onlyForgets(command);
  const places = (word: ShellWord) =>
    placesOf({ kind: 'read', word }, command.directories, given.call.workspace) ?? [];
  return [
    ...words
      .flatMap(findNames)
      .flatMap((word) => places(word).flatMap((place) => judgeNamedPlace(given, place, removes))),
    ...(searches(command)
      ? [here, ...words].flatMap(places).flatMap((place) => judgeSearched(given, place))
      : []),
  ];
}

/** Of a program that is known to write: protected files that its words name, where all else is answered. */
export function judgeNamedWrites(given: OpenCase, command: SimpleCommand): Decision[] {
  return command.words
    .slice(1)
    .flatMap(findNames)
    .flatMap((word) => placesOf({ kind: 'write', word }, command.directories, given.call.workspace) ?? [])
    .map((place) => judgePlace(given, place))
    .filter(({ by }) => by === 'protected-path');
}

/** With options that are not known it may go anywhere below. */
function searches({ words }: SimpleCommand): boolean {
  return Object.hasOwn(sweepOptions, basename(literalOf(words[0]) ?? ''));
}

function judgeSearched(given: OpenCase, place: ResolvedUse): Decision[] {
  if (place.pattern !== undefined) return [];
  const decision = judgePlace(given, { ...place, kind: 'search', sweep: { ...everything, follows: true } });
  return isFirm(decision) ? [decision] : [];
}

const removers: ReadonlySet<string> = new Set(['rm', 'rmdir', 'unlink', 'shred', 'trash']);

/** `git rm --cached` leaves the files where they are. */
function onlyForgets({ words }: SimpleCommand): boolean {
  return literalOf(words[0]) === 'git' && words.some((word) => literalOf(word) === '--cached');
}

/** Files that git is told to take note of stay as they are. */
function keepsFiles({ words }: SimpleCommand): boolean {
  return (
    literalOf(words[0]) === 'git' && /^(?:add|commit|push|fetch|tag|branch)$/.test(literalOf(words[1]) ?? '')
  );
}

function judgeNamedPlace(given: OpenCase, place: ResolvedUse, removes: boolean): Decision[] {
  if (removes && isCritical({ ...place, kind: 'remove' }, given.call.workspace))
    return [ask('protected-path', `removing ${place.path} is always asked about`)];
  const { home, realPath } = given.call.workspace;
  // What it does in there is not in the text.
  if (home !== undefined && [place.path, realPath(place.path)].includes(home))
    return [deny('protected-path', `${place.path} holds our own keys, which no command may come across`)];
  return [judgePlace(given, place), judgePlace(given, { ...place, kind: 'write' })].filter(isFirm);
}

/** The names that a word may hold: as it is, as the value of an option, or behind a sign that sets values apart. */
function findNames(word: ShellWord): ShellWord[] {
  const parts = (word.values ?? []).flatMap(({ text, isPattern }) =>
    isPattern ? [] : [...(text.startsWith('-') ? [text.slice(2)] : []), ...text.split(/[=:,@]/).slice(1)],
  );
  const named = [...new Set(parts)].filter((text) => text !== '' && text.length < maxName);
  return [word, ...named.map(literalWord)];
}

const maxName = 4096;
