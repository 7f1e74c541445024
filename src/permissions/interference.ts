import { resolve } from 'node:path';
import { joinTold, listKnown, untold } from '../lib/told.ts';
import type { CallWorkspace } from '../places/types.ts';
import { findOpenedByGit } from '../shell/git/opened.ts';
import { splitGit } from '../shell/git/writes.ts';
import { readLiteral } from '../shell/grammar/types.ts';
import { findTouched } from '../shell/judge/touched.ts';
import { type ResolvedUse, resolveUses } from '../shell/judge/uses.ts';
import type { Effect } from '../shell/programs/effect.ts';
import { gitIs } from '../shell/tables/git-subcommands.data.ts';
import type { FileChange } from '../shell/walk/file-changes.ts';
import type { JudgedCommand } from '../shell/walk/script.ts';
import { isWithin } from '../workspace/paths.ts';
import type { Footprint } from './footprint.ts';
import type { Flight } from './in-flight.ts';
import { findEffect, findName, findPaths, listMovement, type Movement } from './movement.ts';

/** Those of the running calls that may reach other files than they were judged by because of a new one, or it because of them. */
export function findConflicts(running: readonly Flight[], footprint: Footprint): Flight[] {
  return running.filter((flight) => {
    const other = flight.readFootprint();
    return other !== undefined && (disturbs(footprint, other) || disturbs(other, footprint));
  });
}

function disturbs(moving: Footprint, resting: Footprint): boolean {
  const movement = listMovement(moving);
  return (
    movement !== undefined && resting.commands.some((one) => isDisturbed(one, resting.workspace, movement))
  );
}

/** As one part of a line by another that runs beside it; and by what a rule lets the other bring. */
function isDisturbed(one: JudgedCommand, workspace: CallWorkspace, movement: Movement): boolean {
  const { changes, landings } = movement;
  const effect = findEffect(one);
  if (isMovedAlong(one, workspace, changes)) return true;
  const opened = findOpenedByGit(one, workspace);
  const uses = [...(effect.known ? effect.uses : []), ...one.redirects, ...listKnown(opened)];
  const more = isFilled(one, effect, workspace, movement) ? [gainsContent] : [];
  if (findTouched(one.command, effect, uses, [...changes, ...more], workspace) !== undefined) return true;
  const places = uses.flatMap((use) => listKnown(resolveUses(use, one.command.directories, workspace)));
  if (movement.storesInGit && dependsOnStore(effect, places)) return true;
  if (movement.changesRepositories && dependsOnRepository(one)) return true;
  const named = [
    ...places.flatMap(({ path }) => [path, workspace.realPath(path)]),
    ...listWords(one, effect),
  ];
  if (landings === untold) return named.length > 0;
  return landings.some(
    ({ path, isLink }) =>
      named.some((name) => isWithin(name, path)) ||
      (isLink && places.some((place) => isFound(place) && isWithin(path, workspace.realPath(place.path)))),
  );
}

/** It shows contents that git keeps, or takes names of files from git. */
function dependsOnStore({ git }: Effect, places: readonly ResolvedUse[]): boolean {
  if (git && 'shows' in git && git.shows === 'contents') return true;
  return places.some(({ sweep }) => sweep !== undefined && sweep !== 'none' && sweep.tracked);
}

/** Git that a rule allows was judged by what the repository holds, by its settings, and by the repositories that these name. */
function dependsOnRepository(one: JudgedCommand): boolean {
  if (one.effect.known || findName(one) !== 'git') return false;
  const { name } = splitGit(one.command.words.slice(1));
  return !gitIs(name, 'local') || !gitIs(name, 'keeps');
}

/** The directory that it runs in is moved, or removed. */
function isMovedAlong(
  { command: { directories } }: JudgedCommand,
  { realPath }: CallWorkspace,
  changes: readonly FileChange[],
): boolean {
  const places = directories.map((directory) => realPath(directory));
  return changes.some(
    ({ changesWays, path, isBelow }) =>
      changesWays &&
      path !== undefined &&
      places.some((place) => isWithin(place, path) && !(isBelow && place === path)),
  );
}

/** Something is written into what it moves or copies. */
function isFilled(
  { command }: JudgedCommand,
  effect: Effect,
  workspace: CallWorkspace,
  { written }: Movement,
): boolean {
  const sources = effect.known && effect.carries ? effect.carries.sources : [];
  if (sources.length === 0) return false;
  const carried = joinTold(
    ...sources.map((word) => findPaths({ kind: 'read', word }, command.directories, workspace)),
  );
  if (carried === untold || written === untold) return true;
  return carried.some((path) => written.some((other) => isWithin(path, other) || isWithin(other, path)));
}

const gainsContent: FileChange = { givesTime: true };

/** Which files it opens depends on which names exist. */
function isFound({ kind, pattern, sweep }: ResolvedUse): boolean {
  return kind === 'search' || pattern !== undefined || (sweep !== undefined && sweep !== 'none');
}

/** Of a program that is not known, every word may be a file. */
function listWords({ command: { words, directories } }: JudgedCommand, effect: Effect): string[] {
  if (effect.known) return [];
  const texts = words.slice(1).map((word) => readLiteral(word));
  return texts.flatMap((text) => (text ? directories.map((directory) => resolve(directory, text)) : []));
}
