import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { holdDirectory } from '../../lib/files/hold-directory.ts';
import { randomIds } from '../../lib/ids.ts';
import { escapeHarnessTags } from '../../lib/text/harness-tags.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { readEssentials } from './essentials.ts';
import type { GitData } from './objects.ts';
import { describeObstacle, findObstacles, type Obstacle } from './obstacles.ts';
import type { ReferenceState } from './reference-changes.ts';
import { findEmptied, listHeads, putFileBack, readReferences } from './references.ts';

/** The small files of a git directory before a command. */
export interface GitState extends ReferenceState {
  /** Shows whether it is still the same repository. */
  identity: string;
  /** The earlier obstacles for git. */
  obstacles: readonly Obstacle[];
}

export interface Repaired extends GitState {
  said: string[];
}

/** The current state. Files unchanged since `before` are not read again. */
export function readGitState({ own, shared }: GitData, before?: GitState): GitState {
  return {
    ...{ own, shared, identity: identify({ own, shared }) },
    references: readReferences({ own, shared }, before?.references),
    essentials: readEssentials({ own, shared }, before?.essentials),
    obstacles: before?.obstacles ?? findObstacles({ own, shared }),
  };
}

/**
 * After a command, and before any git runs: removes obstacles that would stop git, and restores files that git can no longer
 * read, or never removes itself.
 */
export function repairGitData(before: GitState): Repaired {
  const now = readGitState(before, before);
  const emptied = findEmptied(before.references, now.references, listHeads(before));
  const damaged = [...before.essentials.keys()].filter((path) => !now.essentials.has(path));
  // A repository that was created in the place of the old one is left as it is.
  const isSame = now.identity === before.identity;
  const wrong = isSame ? [...emptied, ...damaged] : [];
  const said = [
    ...clearObstacles(before, now, wrong),
    ...wrong.map((path) =>
      emptied.includes(path) ? putReferenceBack(path, before) : putEssentialBack(path, before),
    ),
  ];
  return { ...(said.length === 0 ? now : readGitState(before, now)), said };
}

function identify({ own, shared }: GitData): string {
  return [own, join(shared, 'objects')]
    .map((path) => {
      const stat = statEntry(path);
      return stat ? `${stat.dev} ${stat.ino} ${stat.birthtimeMs}` : '';
    })
    .join(', ');
}

/** Except for those that are replaced in any case. */
function clearObstacles(before: GitState, { references }: GitState, replaced: readonly string[]): string[] {
  const known = new Set([...before.obstacles, ...before.references.odd].map(getPath));
  const odd = references.odd.map((path): Obstacle => ({ path, what: describeOdd(path) }));
  const found = new Map([...findObstacles(before), ...odd].map((one) => [one.path, one]));
  return [...found.values()]
    .filter(({ path }) => !known.has(path) && !replaced.includes(path))
    .map(({ path, what }) => {
      const left = clear(path) ? 'It was removed' : 'It could not be removed; remove it yourself';
      return `The command put ${what} in the place of ${show(path)}, which blocks every git command. ${left}.`;
    });
}

function getPath(one: string | Obstacle): string {
  return typeof one === 'string' ? one : one.path;
}

function describeOdd(path: string): string {
  const stat = statEntry(path);
  return (stat && describeObstacle(path, stat)) ?? 'a device';
}

/** A file is only moved aside. False where that failed, or a link is in the way. */
function clear(path: string): boolean {
  const held = holdDirectory(dirname(path));
  if (!held.ok) return false;
  try {
    const here = join(held.value.path, basename(path));
    if (lstatSync(here).isFile()) renameSync(here, `${here}.removed-${randomIds.token(8)}`);
    else unlinkSync(here);
    return true;
  } catch {
    return false;
  } finally {
    held.value.close();
  }
}

/** Returns a description of the outcome. */
export function putReferenceBack(path: string, { references }: Pick<GitState, 'references'>): string {
  const reference = references.files.get(path);
  const value = show(reference?.text.trim() ?? '');
  return reference && putFileBack(path, reference)
    ? `The command overwrote ${show(path)}, so git could no longer read it. Its old value (${value}) was restored.`
    : `The command overwrote ${show(path)}, and git can no longer read it. Its old value was: ${value}`;
}

function putEssentialBack(path: string, { essentials }: GitState): string {
  const did = `The command removed or overwrote ${show(path)}`;
  const isDone = putFileBack(path, essentials.get(path) ?? {});
  if (isDone) return `${did}, so git could no longer read it. It was restored.`;
  const hint =
    basename(path) === 'index'
      ? ` To make it again from the last commit: rm -f ${show(path)}; git reset`
      : '';
  return `${did}, and git can no longer read it. It could not be restored.${hint}`;
}

function show(name: string): string {
  return escapeHarnessTags(visibleLine(name, 300));
}
