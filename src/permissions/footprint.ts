import { basename } from 'node:path';
import { quote } from '../lib/shell-quote.ts';
import { joinTold, mapTold, type Told, untold } from '../lib/told.ts';
import { rememberPaths } from '../places/paths.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { Access, Decision } from '../protocol/permission.ts';
import { readLiteral } from '../shell/grammar/types.ts';
import { resolveUses } from '../shell/judge/uses.ts';
import type { Effect, PathUse } from '../shell/programs/effect.ts';
import { findGrantedEffect } from '../shell/rules/granted.ts';
import { type FileChange, findFileChanges } from '../shell/walk/file-changes.ts';
import { type JudgedCommand, readScript } from '../shell/walk/script.ts';
import { isWithin } from '../workspace/paths.ts';

/** The files that a judged call uses and changes, as its text says. Looked up again each time: other calls change them. */
export interface Footprint {
  readonly workspace: CallWorkspace;
  readonly commands: readonly JudgedCommand[];
  /** Changes of the call that are in none of its commands. */
  readonly changes: readonly FileChange[];
}

/**
 * Undefined for a call that relies on no judgement of its text: a sandbox confines it, or the user allowed it as a whole.
 * Tools that only read open what was judged, and nothing else.
 */
export function readFootprint(
  accesses: readonly Access[],
  { confine, asWhole }: Decision,
  workspace: CallWorkspace,
): Footprint | undefined {
  if (confine || asWhole) return undefined;
  const seen = rememberPaths(workspace);
  const parts = accesses.flatMap((access) => {
    if (access.kind === 'shell') return [readPart(access, seen)];
    return access.kind === 'write' ? [readWrite(access.path, seen)] : [];
  });
  if (parts.length === 0) return undefined;
  return {
    workspace: seen,
    commands: parts.flatMap(({ commands }) => commands),
    changes: parts.flatMap(({ changes }) => changes),
  };
}

type Part = Omit<Footprint, 'workspace'>;

function readPart(access: Extract<Access, { kind: 'shell' }>, workspace: CallWorkspace): Part {
  const { parsed, all } = readScript(access, workspace);
  return { commands: all, changes: parsed.problems.length > 0 ? [anything] : [] };
}

/** A tool's write is that of a redirection to the file. A tool that writes a directory brings whatever it holds. */
function readWrite(path: string, workspace: CallWorkspace): Part {
  if (isWithin(workspace.cwd, path)) return { commands: [], changes: [anything] };
  return readPart({ kind: 'shell', command: `: > ${quote(workspace.realPath(path))}`, cwd: '/' }, workspace);
}

/** Links may appear anywhere. */
const anything: FileChange = { makesNames: true, changesWays: true, makesLinks: true };

/** How a call may change the files that others use. */
export interface Movement {
  readonly changes: readonly FileChange[];
  /** Every path that it writes. */
  readonly written: Told<readonly string[]>;
  /** Those where more may appear than plain files and directories; `isLink`: links too. */
  readonly landings: Told<readonly { path: string; isLink: boolean }[]>;
  readonly storesInGit: boolean;
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

function findName({ command: { words } }: JudgedCommand): string {
  return basename(readLiteral(words[0]) ?? '');
}
