import { basename } from 'node:path';
import { listKnown } from '../../lib/told.ts';
import { foldName } from '../../places/paths.ts';
import { ask, deny } from '../../places/reasons.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Decision } from '../../protocol/permission.ts';
import { findTokens, lastName } from '../grammar/tokens.ts';
import { readLiteral } from '../grammar/types.ts';
import { here } from '../programs/effect.ts';
import { splitFind } from '../programs/find.ts';
import { deletesPart } from '../rules/granted-find.ts';
import { judgeTexts } from '../rules/rule-texts.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import { readCommandName } from './command-words.ts';
import { judgeStored } from './git-stores.ts';
import { judgeAstray, judgeSearches } from './judge-found.ts';
import { findLooseParts, type LoosePart } from './line-texts.ts';
import { findSecret, listPartDirectories, resolveName } from './own-texts.ts';
import type { OpenCase } from './shell-case.ts';
import { isCritical, resolveUses as placesOfUse } from './uses.ts';

/**
 * Actions that no mode and no rule allows, as far as any word of a line suggests them: removing the home or the workspace,
 * and touching our own keys. The paths of a known command are judged exactly; this is about everything else, which may run or
 * open whatever it is given.
 */
export function judgePossible(given: OpenCase, script: Script): Decision[] {
  const { workspace } = given.call;
  const parts = findLooseParts(script);
  const elsewhere = script.all.flatMap((one) => [
    ...[findRemovedBelow(one, workspace)].filter((path) => path !== undefined),
    ...findRemovedAnywhere(one, workspace),
  ]);
  return [
    ...elsewhere.map(askToRemove),
    ...parts.flatMap((part) => judgePart(given, part)),
    ...judgeSearches(given, script),
    ...judgeAstray(given, script),
    ...script.all.flatMap((one) => judgeStored(given, one)),
  ];
}

function judgePart(given: OpenCase, part: LoosePart): Decision[] {
  const { workspace } = given.call;
  const tokens = listTokens(part, part.texts, workspace);
  const named =
    part.printed.length === 0 ? tokens : [...tokens, ...listTokens(part, part.printed, workspace)];
  const secret = given.inside ? undefined : findSecret(part, named, workspace);
  if (secret !== undefined)
    return [deny('protected-path', `${secret} holds Cadre's own keys, which no command may read`)];
  const removed = removes(part, tokens) ? findCritical(part, tokens, workspace) : undefined;
  return [...(removed === undefined ? [] : [askToRemove(removed)]), ...judgeTexts(given, part, named)];
}

function askToRemove(what: string): Decision {
  return ask('protected-path', `it may remove ${what}, which is always asked about`);
}

/** `find -execdir rm` runs in the directories that it finds, which none of its own paths name. */
function findRemovedBelow({ command, inner }: JudgedCommand, workspace: CallWorkspace): string | undefined {
  const isElsewhere = ({ command: { directories } }: JudgedCommand) => directories.length === 0;
  const isRemoving = inner.some((one) => isElsewhere(one) && removers.has(readCommandName(one.command)));
  if (readCommandName(command) !== 'find' || !isRemoving) return undefined;
  const { starts } = splitFind(command.words);
  const isPart = deletesPart(command.words.map((word) => readLiteral(word) ?? ''));
  return (starts.length > 0 ? starts : [here])
    .flatMap((word) => listKnown(placesOfUse({ kind: 'remove', word }, command.directories, workspace)))
    .find((place) => isCritical(isPart ? { ...place, isPart } : place, workspace))?.path;
}

/** In a directory that the text does not say, such as `$OLDPWD/..`, the name of the workspace or of the home may mean it. */
function findRemovedAnywhere({ command }: JudgedCommand, workspace: CallWorkspace): string[] {
  if (command.directories.length > 0 || !removers.has(readCommandName(command))) return [];
  const { cwd, directories, userHome } = workspace;
  const names = [cwd, ...directories, userHome].map((path) => foldName(basename(path)));
  return command.words
    .slice(1)
    .flatMap((word) => word.values?.map(({ text }) => text) ?? [])
    .filter((text) => !text.startsWith('/') && names.includes(foldName(basename(text))));
}

function listTokens(part: LoosePart, texts: readonly string[], { userHome }: CallWorkspace): string[] {
  const [directory] = listPartDirectories(part);
  return [...new Set(texts.flatMap((text) => findTokens(text, { home: userHome, directory })))];
}

/** Whether a program that removes files is named: alone, or by options of one that can. */
function removes({ commands }: LoosePart, tokens: readonly string[]): boolean {
  const names = [...new Set(commands.map(readCommandName))];
  const isPacking = names.some((name) => /^(?:zip|7za?)$/.test(name));
  if (isPacking && tokens.some((token) => /^(?:-[a-z]*m[a-z]*|--move)$/.test(token))) return true;
  return [...names, ...tokens].some(
    (token) => removers.has(lastName(token).replace(/^.*\./, '')) || removing.test(token),
  );
}

/** Programs, and functions of programming languages. */
const removers: ReadonlySet<string> = new Set(
  (
    'rm rmdir unlink shred srm wipe trash trash-put rimraf del del-cli mv rmtree rm_rf rm_r rmSync rmdirSync unlinkSync ' +
    'removeSync remove_tree RemoveAll remove_entry remove_dir_all'
  ).split(' '),
);
const removing = /^(?:-delete|--del(?:ete)?(?:-[a-z]+)?|--rem[a-z-]*|-sdel)$/;

function findCritical(
  part: LoosePart,
  tokens: readonly string[],
  workspace: CallWorkspace,
): string | undefined {
  const directories = listPartDirectories(part);
  return tokens.find(
    (token) =>
      ownPlace.test(token) ||
      listTokenPlaces(token, directories, workspace).some((path) =>
        isCritical({ kind: 'remove', path }, workspace),
      ),
  );
}

/** Expressions for the home and the current directory in programming languages. */
const ownPlace = /(?:^|\.)(?:getcwd|cwd|pwd|homedir|expanduser)$/;

/** A token is a place alone, or after a colon, as in `-v HERE:/there`. */
function listTokenPlaces(token: string, directories: readonly string[], workspace: CallWorkspace): string[] {
  return [token, ...token.split(':')].flatMap((name) => {
    const text = name.replace(/(?:\/+(?:\*+|\.\*)?)+$/, (end) => (name === end ? '/' : ''));
    if (text === '*' || text === '**') return [...directories];
    if (!/^[/~.]/.test(text)) return [];
    return resolveName(text, directories, workspace);
  });
}
