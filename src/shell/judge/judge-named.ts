import { basename } from 'node:path';
import { joinTold, listKnown, mapTold, untold } from '../../lib/told.ts';
import type { Look } from '../../places/look.ts';
import { ask, deny } from '../../places/reasons.ts';
import type { Decision } from '../../protocol/permission.ts';
import { splitGit } from '../git/writes.ts';
import {
  everything,
  literalWord,
  readLiteral,
  type ShellWord,
  type SimpleCommand,
  type Sweep,
} from '../grammar/types.ts';
import { here, type PathUse } from '../programs/effect.ts';
import { findListed } from '../programs/name-lists.ts';
import { listScriptFiles } from '../programs/sed.ts';
import { gitIs } from '../tables/git-subcommands.data.ts';
import { heeding, otherSearchers, sweepOptions, wholeReplacers, wholeTakers } from '../tables/sweeps.data.ts';
import { asFound } from '../walk/broken-names.ts';
import { judgeFilled, magic } from './judge-filled.ts';
import { judgeHeeded } from './judge-heeded.ts';
import { judgePlace } from './judge-place.ts';
import { judgeOpen } from './judge-use.ts';
import { askUntold, type GrantCover, isFirm, type OpenCase } from './shell-case.ts';
import { describeUnclear, isCritical, type ResolvedUse, resolveUses } from './uses.ts';

/**
 * Files that the words of a command name, where nothing else is known about the command and a rule or the mode lets it run.
 * It may read and write each of them, so anything a grant does not answer is still asked about or refused. A computed word
 * may name any file.
 */
export function judgeNamed(given: OpenCase, command: SimpleCommand, cover: GrantCover): Decision[] {
  // In the sandbox protected files are read-only, and refused ones hidden.
  if (given.inside || keepsFiles(command)) return [];
  const words = [...command.words.slice(1), ...command.assignments.flatMap(({ word }) => word ?? [])];
  const removes =
    command.words.some((word) => removers.has(basename(readLiteral(word) ?? ''))) && !onlyForgets(command);
  const isBound = cover === 'program' && !takesText(command);
  const placesFound = (word: ShellWord) =>
    resolveUses({ kind: 'read', word: asFound(word) }, command.directories, given.call.workspace);
  const judgeWord = (word: ShellWord): Decision[] => {
    const places = resolveUses({ kind: 'read', word }, command.directories, given.call.workspace);
    const found = listKnown(word.isBroken ? placesFound(word) : places);
    const unclear = places === untold && isBound && !isNumber(word);
    return [
      ...found.flatMap((place) => judgeNamedPlace(given, place, removes)),
      ...(unclear ? [askUntold(given, describeUnclear({ kind: 'read', word }))] : []),
    ];
  };
  const searched = placesSearched(command, words).flatMap((word) => listKnown(placesFound(word)));
  const isHeeding = heeding.has(basename(readLiteral(command.words[0]) ?? ''));
  const heeded = isHeeding ? judgeHeeded(given, heedingSearch, searched, command.directories) : [];
  return [
    ...findListed(command).flatMap((use) => judgeOpen(given, use)),
    ...[...words.flatMap(findNames), ...findScriptNames(command)].flatMap(judgeWord),
    ...words.flatMap((word) => judgeFilled(given, command, word)),
    ...searched.flatMap((place) => judgeSearched(given, place)),
    ...(replacesBelow(command) ? words.flatMap(findNames) : [])
      .flatMap((word) => listKnown(placesFound(word)))
      .map((place) => judgePlace(given, { ...place, kind: 'write', whole: true }))
      .filter(isFirm),
    ...heeded.filter(isFirm),
  ];
}

/** `$((n + 1))`, `$?`, `$#`: no protected name is a number. */
function isNumber({ text, single }: ShellWord): boolean {
  return single && /^"?(?:\$\(\([^`()]*\)\)|\$[?#])"?$/.test(text);
}

/** Git, where its words are revisions, addresses and messages, or where the files among them were already judged. */
function takesText({ words }: SimpleCommand): boolean {
  if (basename(readLiteral(words[0]) ?? '') !== 'git') return false;
  const { name } = splitGit(words.slice(1));
  return gitIs(name, 'texts') || gitIs(name, 'changes');
}

/** For a program that is known to write: protected files that its words name, where everything else is answered. */
export function judgeNamedWrites(given: OpenCase, command: SimpleCommand): Decision[] {
  return command.words
    .slice(1)
    .flatMap(findNames)
    .map(asFound)
    .flatMap((word) =>
      listKnown(resolveUses({ kind: 'write', word }, command.directories, given.call.workspace)),
    )
    .map((place) => judgePlace(given, place))
    .filter(({ by }) => by === 'protected-path');
}

/** With unknown options it may read them as well. */
const heedingSearch: PathUse = { kind: 'search', word: here, sweep: { ...everything, heeds: true } };

function replacesBelow({ words: [first, ...rest] }: SimpleCommand): boolean {
  const isDeep = rest.some((word) => /^(?:-\w*r|--recursive$)/.test(readLiteral(word) ?? '-r'));
  return isDeep && wholeReplacers.has(basename(readLiteral(first) ?? ''));
}

/** With unknown options it may go anywhere below: also from here if it is a search program. */
function placesSearched(
  { words: [first, ...rest] }: SimpleCommand,
  words: readonly ShellWord[],
): ShellWord[] {
  const name = basename(readLiteral(first) ?? '');
  if (Object.hasOwn(sweepOptions, name) || otherSearchers.has(name)) return [here, ...words];
  // Unpacked files come from the archive.
  const unpacks =
    /tar$/.test(name) && rest.some((word) => /^(?:-?\w*x|--extract|--get)/.test(readLiteral(word) ?? ''));
  return wholeTakers.has(name) && !unpacks ? words.flatMap(findNames) : [];
}

/** A file is judged by its name. */
function judgeSearched(given: OpenCase, { path, pattern, ...place }: ResolvedUse): Decision[] {
  const { look } = given.call.workspace;
  const isAny = pattern === undefined || pattern.includes('**') || !look;
  const found = isAny ? [path] : look.expand(path, pattern);
  const places = found === untold ? [path] : found;
  return places
    .filter((one) => !look || look.isDirectory(one))
    .map((one): ResolvedUse => ({ ...place, path: one, kind: 'search', sweep: buildSweep(one, look) }))
    .map((one) => judgePlace(given, one))
    .filter(isFirm);
}

/** Whether it follows links is unknown; that matters where there are some. */
function buildSweep(directory: string, look: Look | undefined): Sweep {
  const links =
    look &&
    joinTold(
      mapTold(look.below(directory), (below) => [...below.links, ...below.inward]),
      mapTold(look.vendored(directory), (vendored) => vendored.links),
    );
  return { ...everything, follows: links === undefined || links === untold || links.length > 0 };
}

const removers: ReadonlySet<string> = new Set(['rm', 'rmdir', 'unlink', 'shred', 'trash']);

/** `git rm --cached` leaves the files where they are. */
function onlyForgets({ words }: SimpleCommand): boolean {
  return readLiteral(words[0]) === 'git' && words.some((word) => readLiteral(word) === '--cached');
}

/** Files that git only records stay as they are. */
function keepsFiles({ words }: SimpleCommand): boolean {
  return (
    readLiteral(words[0]) === 'git' &&
    /^(?:add|commit|push|fetch|tag|branch)$/.test(readLiteral(words[1]) ?? '')
  );
}

function judgeNamedPlace(given: OpenCase, place: ResolvedUse, removes: boolean): Decision[] {
  if (removes && isCritical({ ...place, kind: 'remove' }, given.call.workspace))
    return [ask('protected-path', `removing ${place.path} is always asked about`)];
  const { home, realPath } = given.call.workspace;
  // Its effects in there are not in the text.
  if (home !== undefined && [place.path, realPath(place.path)].includes(home))
    return [deny('protected-path', `${place.path} holds Cadre's own keys, which no command may read`)];
  return [judgePlace(given, place), judgePlace(given, { ...place, kind: 'write' })].filter(isFirm);
}

/** The names that a word may contain: as it is, as the value of an option, or after a character that separates values. */
function findNames(word: ShellWord): ShellWord[] {
  const parts = (word.values ?? []).flatMap(({ text, isPattern }) =>
    isPattern
      ? []
      : [
          ...(/^[-+]/.test(text) ? [text.slice(1), text.slice(2)] : []),
          ...text.split(/[=:,@]/).slice(1),
          text.replace(magic, ''),
        ],
  );
  const named = [...new Set(parts)].filter((text) => text !== '' && text.length < maxName);
  return [word, ...named.map(literalWord)];
}

const maxName = 4096;

/** Files that the script of sed or awk names, without a blank before them or in quotes of its own. */
function findScriptNames({ words: [first, ...rest] }: SimpleCommand): ShellWord[] {
  const texts = rest.flatMap(({ values = [] }) => values.map(({ text }) => text));
  const scripts = texts.map((text) => text.replace(/^(?:-\w*e|--expression=)/, ''));
  switch (basename(readLiteral(first) ?? '')) {
    case 'sed':
    case 'gsed':
      return scripts.flatMap(listScriptFiles).filter(isName).map(literalWord);
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'nawk':
      return texts
        .flatMap((text) => [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, name = '']) => name))
        .filter(isName)
        .map(literalWord);
    default:
      return [];
  }
}

function isName(text: string): boolean {
  return text !== '' && text.length < maxName && !text.includes('\0');
}
