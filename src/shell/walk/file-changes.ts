import { basename, dirname, join } from 'node:path';
import { untold } from '../../lib/told.ts';
import type { CallWorkspace } from '../../places/types.ts';
import { isWithin, relativeParts } from '../../workspace/paths.ts';
import { splitGit } from '../git/writes.ts';
import { mayBeOption, readLiteral, type ShellWord, type SimpleCommand } from '../grammar/types.ts';
import { resolveUses } from '../judge/uses.ts';
import type { Effect, PathUse } from '../programs/effect.ts';
import { findGrantedEffect } from '../rules/granted.ts';
import { gitIs } from '../tables/git-subcommands.data.ts';
import type { JudgedCommand } from './script.ts';

/** The effect of a part of a line on the files that its later parts use. */
export interface FileChange {
  /** The changed name, in the real directory that contains it; absent: any. */
  readonly path?: string;
  /** Entries below the path change, the path itself does not. */
  readonly isBelow?: true;
  /** A part of the line may run in the directory that is changed. */
  readonly isUnderfoot?: true;
  /** Names may appear that become others on their way through a pipe, or that a command takes for options. */
  readonly makesNames?: true;
  /** Something may replace a directory or a link: `..` and links lead elsewhere. */
  readonly changesWays?: true;
  /** Links may appear. */
  readonly makesLinks?: true;
  /** Files may appear that were not judged: other processes have time to create them. */
  readonly givesTime?: true;
  /** By a program of which only its rule is known. */
  readonly byProgram?: true;
  /** Git's configuration changes: the words that may name other repositories; null where some are not in the text. */
  readonly sets?: readonly string[] | null;
}

/** Without the commands it runs. Plain files and directories with plain names change nothing that was looked at. */
export function findFileChanges(one: JudgedCommand, workspace: CallWorkspace): readonly FileChange[] {
  const { command, effect, redirects } = one;
  if (isWaiting(command)) return [waiting];
  const own = effect.known ? effect : findGrantedEffect(command, effect.reason);
  const moved = effect.known ? undefined : changeByGit(command);
  const poured = redirects.filter(({ kind }) => kind === 'write').flatMap((use) => made(use, one, workspace));
  if (moved) return [...poured, ...moved];
  if (!own?.known) return [...poured, program];
  const changing = own.uses.filter(({ kind }) => kind === 'write' || kind === 'remove');
  if (changing.length === 0) return poured;
  const isMaking = making.has(basename(readLiteral(command.words[0]) ?? ''));
  const isPlain = landsPlain(own, one, workspace);
  const changes = changing.flatMap((use) => {
    const names = use.kind === 'write' ? made(use, one, workspace, isPlain) : [];
    return isMaking ? names : [...names, ...changed(use, one, workspace)];
  });
  return [...poured, ...changes];
}

/** While others run, or before a loop ends. */
export const waiting: FileChange = { makesNames: true, changesWays: true, givesTime: true };
const program: FileChange = { makesNames: true, changesWays: true, byProgram: true };
const brought: FileChange = { makesNames: true, changesWays: true, makesLinks: true };

/** They create plain files and directories, and write through existing links. */
const making: ReadonlySet<string> = new Set(['mkdir', 'touch', 'tee', 'cp', 'sed']);

function isWaiting({ words, takesNames, redirects }: SimpleCommand): boolean {
  const [name, ...rest] = words.map((word) => readLiteral(word));
  switch (basename(name ?? '')) {
    case 'sleep':
    case 'wait':
    case 'yes':
      return true;
    case 'read':
      return takesNames === undefined && !redirects.some(({ access }) => access === 'read');
    case 'tail':
      return words.slice(1).some((word) => mayFollow(word));
    case 'seq':
      return rest.some((text) => text === undefined || Math.abs(Number(text)) > maxCount);
    default:
      return false;
  }
}

/** `-f` and its other forms; a name with an ending is none of them. */
function mayFollow(word: ShellWord): boolean {
  const text = readLiteral(word);
  if (text !== undefined) return /^(?:-\w*[fF]|--f)/.test(text);
  return mayBeOption(word) && word.values?.every(({ glob }) => /\.\w+$/.test(glob)) !== true;
}

const maxCount = 100_000;

/** Git restores files from its history, or from elsewhere, and any of them may be a link. */
function changeByGit({ words }: SimpleCommand): readonly FileChange[] | undefined {
  if (basename(readLiteral(words[0]) ?? '') !== 'git') return undefined;
  const { name, rest } = splitGit(words.slice(1));
  if (gitIs(name, 'sets')) return [{ sets: listSet(rest) }];
  if (gitIs(name, 'keeps')) return [];
  const [flag, branch, ...more] = rest.map((word) => readLiteral(word));
  const startsBranch = /^-[bc]$/.test(flag ?? '') && branch !== undefined && more.length === 0;
  if (gitIs(name, 'hooks') || (/^(?:checkout|switch)$/.test(name) && startsBranch)) return [program];
  return [brought];
}

/** The words, and what is between the dots of a key. */
function listSet(words: readonly ShellWord[]): readonly string[] | null {
  const texts = words.map((word) => readLiteral(word));
  if (texts.includes(undefined)) return null;
  return texts.flatMap((text = '') => {
    const inner = /^[\w-]+\.(.+)\.[\w-]+(?:=|$)/s.exec(text)?.[1];
    return inner === undefined ? [text] : [text, inner];
  });
}

/** Where a name may be odd. */
function made(
  use: PathUse,
  { command }: JudgedCommand,
  workspace: CallWorkspace,
  isPlain = true,
): FileChange[] {
  const places = resolveUses(use, command.directories, workspace);
  if (places === untold) return [program];
  return places.flatMap(({ path, pattern }) => {
    if (isPlain && isPlainPath(path, workspace)) return [];
    const below = pattern === undefined ? {} : { isBelow: true as const };
    return listEntryPaths(path, workspace).map((entry) => ({
      path: entry,
      ...below,
      makesNames: true as const,
    }));
  });
}

function changed(use: PathUse, { command }: JudgedCommand, workspace: CallWorkspace): FileChange[] {
  const places = resolveUses(use, command.directories, workspace);
  if (places === untold) return [program];
  return places.flatMap(({ path, pattern }) => {
    const below = pattern === undefined ? {} : { isBelow: true as const };
    return listEntryPaths(path, workspace).map((entry) => ({
      path: entry,
      ...below,
      changesWays: true as const,
    }));
  });
}

/** By its text, and in the directory with links resolved: the last name is not followed. */
function listEntryPaths(path: string, { realPath }: CallWorkspace): string[] {
  return [...new Set([path, join(realPath(dirname(path)), basename(path))])];
}

/** Whether everything that a copy or a move brings along has plain names. */
function landsPlain(
  effect: Extract<Effect, { known: true }>,
  { command }: JudgedCommand,
  workspace: CallWorkspace,
): boolean {
  const { look } = workspace;
  const reads = effect.uses.filter(({ kind }) => kind === 'read' || kind === 'search');
  return reads.every((use) => {
    const places = resolveUses(use, command.directories, workspace);
    if (places === untold) return false;
    return places.every(({ path, pattern, sweep }) => {
      if (sweep !== undefined) return false;
      const sources = pattern === undefined ? [path] : (look?.expand(path, pattern) ?? untold);
      if (sources === untold) return false;
      return sources.every((source) => {
        const carried = effect.carries ? (look?.carried(source) ?? untold) : { paths: [] };
        return carried !== untold && isPlainPath(source, workspace) && carried.paths.every(isPlainName);
      });
    });
  });
}

function isPlainPath(path: string, { cwd, directories }: CallWorkspace): boolean {
  const root = [cwd, ...directories].find((one) => isWithin(path, one));
  return (relativeParts(path, root ?? '/') ?? []).every(isPlainName);
}

function isPlainName(path: string): boolean {
  return path.split('/').every((name) => /^[\w.+@%,:=~#][\w.+@%,:=~#-]*$/.test(name));
}
