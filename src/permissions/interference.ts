import { basename, resolve } from 'node:path';
import { joinTold, listKnown, mapTold, type Told, untold } from '../lib/told.ts';
import type { CallWorkspace } from '../places/types.ts';
import { findOpenedByGit } from '../shell/git/opened.ts';
import { readLiteral } from '../shell/grammar/types.ts';
import { findTouched } from '../shell/judge/touched.ts';
import { resolveUses } from '../shell/judge/uses.ts';
import type { Effect, PathUse } from '../shell/programs/effect.ts';
import { findGrantedEffect } from '../shell/rules/granted.ts';
import type { FileChange } from '../shell/walk/file-changes.ts';
import type { JudgedCommand } from '../shell/walk/script.ts';
import { isWithin } from '../workspace/paths.ts';
import { type Footprint, listChanges } from './footprint.ts';

/** Whether one of two calls that run at the same time may reach other files than it was judged by, because of the other. */
export function interferes(one: Footprint, other: Footprint): boolean {
  return disturbs(one, other) || disturbs(other, one);
}

/** The rules are those for the parts of one line, of which one runs in the background. */
function disturbs(moving: Footprint, resting: Footprint): boolean {
  const changes = listChanges(moving).map((change): FileChange => ({ ...change, isUnderfoot: true }));
  const writes = moving.commands.flatMap((one) => listWrites(one));
  if (changes.length === 0 && writes.length === 0) return false;
  const written = joinTold(...writes.map(({ use, one }) => findPlaces(use, one, moving.workspace)));
  const landings = joinTold(
    ...writes
      .filter(({ one, use }) => !isPlainMaker(one, use))
      .map(({ use, one }) => findPlaces(use, one, moving.workspace)),
  );
  return resting.commands.some((one) => isDisturbed(one, resting.workspace, { changes, written, landings }));
}

interface Movement {
  readonly changes: readonly FileChange[];
  /** Every path that is written. */
  readonly written: Told<readonly string[]>;
  /** Those where something may appear that is not a plain file or directory. */
  readonly landings: Told<readonly string[]>;
}

function isDisturbed(
  one: JudgedCommand,
  workspace: CallWorkspace,
  { changes, written, landings }: Movement,
): boolean {
  const effect = findEffect(one);
  const uses = [...listUses(one), ...listKnown(findOpenedByGit(one, workspace))];
  const sources = effect.known && effect.carries ? effect.carries.sources : [];
  const carried = joinTold(...sources.map((word) => findPlaces({ kind: 'read', word }, one, workspace)));
  const isFilled = sources.length > 0 && areRelated(carried, written);
  const all = isFilled ? [...changes, carriesMore] : changes;
  if (findTouched(one.command, effect, uses, all, workspace) !== undefined) return true;
  const named = [...joinKnown(uses.map((use) => findPlaces(use, one, workspace))), ...listWords(one, effect)];
  if (landings === untold) return named.length > 0;
  return named.some((path) => landings.some((landing) => isWithin(path, landing)));
}

/** Something is put into what a command moves or copies. */
const carriesMore: FileChange = { givesTime: true };

function areRelated(some: Told<readonly string[]>, others: Told<readonly string[]>): boolean {
  if (some === untold || others === untold) return true;
  return some.some((path) => others.some((other) => isWithin(path, other) || isWithin(other, path)));
}

/** They create plain files and directories, or write into what exists. */
function isPlainMaker(one: JudgedCommand, use: PathUse): boolean {
  return one.redirects.includes(use) || plainMakers.has(basename(readLiteral(one.command.words[0]) ?? ''));
}

const plainMakers: ReadonlySet<string> = new Set(['mkdir', 'touch', 'tee', 'sed']);

function findEffect({ command, effect }: JudgedCommand): Effect {
  return effect.known ? effect : (findGrantedEffect(command, effect.reason) ?? effect);
}

function listUses(one: JudgedCommand): PathUse[] {
  const effect = findEffect(one);
  return [...(effect.known ? effect.uses : []), ...one.redirects];
}

function listWrites(one: JudgedCommand): { one: JudgedCommand; use: PathUse }[] {
  return listUses(one)
    .filter(({ kind }) => kind === 'write')
    .map((use) => ({ one, use }));
}

/** Of a program that is not known, every word may be a file. */
function listWords({ command: { words, directories } }: JudgedCommand, effect: Effect): string[] {
  if (effect.known) return [];
  const texts = words.slice(1).map((word) => readLiteral(word));
  return texts.flatMap((text) => (text ? directories.map((directory) => resolve(directory, text)) : []));
}

/** By its text, and with links resolved. */
function findPlaces(
  use: PathUse,
  { command: { directories } }: JudgedCommand,
  workspace: CallWorkspace,
): Told<readonly string[]> {
  return mapTold(resolveUses(use, directories, workspace), (all) =>
    all.flatMap(({ path }) => [path, workspace.realPath(path)]),
  );
}

function joinKnown(lists: readonly Told<readonly string[]>[]): string[] {
  return lists.flatMap((list) => listKnown(list));
}
