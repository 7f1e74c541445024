import { basename } from 'node:path';
import { joinTold, mapTold, type Told, untold } from '../lib/told.ts';
import type { CallWorkspace } from '../places/types.ts';
import { readLiteral } from '../shell/grammar/types.ts';
import { resolveUses } from '../shell/judge/uses.ts';
import type { Effect, PathUse } from '../shell/programs/effect.ts';
import { findGrantedEffect } from '../shell/rules/granted.ts';
import { type FileChange, findFileChanges } from '../shell/walk/file-changes.ts';
import type { JudgedCommand } from '../shell/walk/script.ts';
import { anything, type Footprint } from './footprint.ts';

/** How a call may change the files that others use. */
export interface Movement {
  readonly changes: readonly FileChange[];
  /** Every path that it writes. */
  readonly written: Told<readonly string[]>;
  /** Those where more may appear than plain files and directories; `isLink`: links too. */
  readonly landings: Told<readonly { path: string; isLink: boolean }[]>;
  readonly storesInGit: boolean;
  /** It may change which repositories there are, or the settings and references that name them. */
  readonly changesRepositories: boolean;
}

/** Undefined for a call that only reads. */
export function listMovement({ commands, changes: more, workspace }: Footprint): Movement | undefined {
  const changes = [...more, ...commands.flatMap((one) => listChanges(one, workspace))];
  const writes = commands.flatMap((one) => listWrites(one, workspace));
  const storesInGit = commands.some((one) => !one.effect.known && findName(one) === 'git');
  if (changes.length === 0 && writes.length === 0 && !storesInGit) return undefined;
  return {
    changes,
    written: joinTold(...writes.map(({ paths }) => paths)),
    landings: joinTold(
      ...writes
        .filter(({ isPlain }) => !isPlain)
        .map(({ paths, isLink }) => mapTold(paths, (all) => all.map((path) => ({ path, isLink })))),
    ),
    storesInGit,
    changesRepositories: commands.some((one) => changesRepository(one, workspace)),
  };
}

/**
 * Without the time that passes, in which only other calls could change something, and without programs of which only their rule
 * is known: such a rule is the user's word for whatever the program does.
 */
function listChanges(one: JudgedCommand, workspace: CallWorkspace): FileChange[] {
  if (!one.effect.known && findName(one) === 'tar') return [anything];
  return findFileChanges(one, workspace)
    .filter(({ givesTime, byProgram }) => !givesTime && !byProgram)
    .map((change) => ({ ...change, isUnderfoot: true }));
}

function changesRepository(one: JudgedCommand, workspace: CallWorkspace): boolean {
  if (one.effect.known || findName(one) !== 'git') return false;
  return findFileChanges(one, workspace).some(({ makesLinks, sets }) => makesLinks || sets !== undefined);
}

interface Write {
  readonly paths: Told<readonly string[]>;
  readonly isPlain: boolean;
  readonly isLink: boolean;
}

function listWrites(one: JudgedCommand, workspace: CallWorkspace): Write[] {
  const effect = findEffect(one);
  const isLink = bringsLinks(one, effect, workspace);
  const makesPlain = plainMakers.has(findName(one));
  const read = (uses: readonly PathUse[], isPlain: boolean): Write[] =>
    uses
      .filter(({ kind }) => kind === 'write')
      .map((use) => ({ paths: findPaths(use, one.command.directories, workspace), isPlain, isLink }));
  return [...read(one.redirects, true), ...read(effect.known ? effect.uses : [], makesPlain)];
}

/** They create plain files and directories, or write into what exists. */
const plainMakers: ReadonlySet<string> = new Set(['mkdir', 'touch', 'tee', 'sed']);

function bringsLinks({ command }: JudgedCommand, effect: Effect, workspace: CallWorkspace): boolean {
  if (!effect.known || effect.links) return true;
  return (effect.carries?.sources ?? []).some((word) => {
    const sources = findPaths({ kind: 'read', word }, command.directories, workspace);
    if (sources === untold) return true;
    return sources.some((source) => {
      const carried = workspace.look?.carried(source) ?? untold;
      return carried === untold || carried.hasLinks;
    });
  });
}

/** The effect of a command by itself, or of one that a rule allows. */
export function findEffect({ command, effect }: JudgedCommand): Effect {
  return effect.known ? effect : (findGrantedEffect(command, effect.reason) ?? effect);
}

/** By their text, and with links resolved. */
export function findPaths(
  use: PathUse,
  directories: readonly string[],
  workspace: CallWorkspace,
): Told<readonly string[]> {
  return mapTold(resolveUses(use, directories, workspace), (all) =>
    all.flatMap(({ path }) => [path, workspace.realPath(path)]),
  );
}

export function findName({ command: { words } }: JudgedCommand): string {
  return basename(readLiteral(words[0]) ?? '');
}
