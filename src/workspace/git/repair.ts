import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { holdDirectory } from '../../lib/files/hold-directory.ts';
import { randomIds } from '../../lib/ids.ts';
import { escapeHarnessTags } from '../../lib/text/harness-tags.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { findUnreadable, type KeptFile, readEssentials } from './essentials.ts';
import type { GitData } from './objects.ts';
import { describeObstacle, findObstacles, type Obstacle } from './obstacles.ts';
import type { ReferenceState } from './reference-changes.ts';
import { findEmptied, listHeads, putFileBack, readReferences } from './references.ts';
import { repairPacked } from './repair-packed.ts';

/** The small files of a git directory before a command. */
export interface GitState extends ReferenceState {
  /** Shows whether it is still the same repository. */
  identity: string;
  /** The earlier obstacles for git. */
  obstacles: readonly Obstacle[];
  /** Packed references and indexes that git cannot read. */
  unreadable: readonly string[];
}

export interface Repaired extends GitState {
  said: string[];
}

/** The current state. Files unchanged since `before` are not read again. */
export function readGitState({ own, shared }: GitData, before?: GitState): GitState {
  const essentials = readEssentials({ own, shared }, before?.essentials);
  return {
    ...{ own, shared, identity: identify({ own, shared }) },
    references: readReferences({ own, shared }, before?.references),
    ...{ essentials, unreadable: findUnreadable({ own, shared }, essentials) },
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
  const packedFile = join(before.shared, 'packed-refs');
  const fresh = findFresh(before, now);
  const damaged = [...before.essentials.keys()].filter((path) => !now.essentials.has(path));
  // A repository that was created in the place of the old one is left as it is.
  const isSame = now.identity === before.identity;
  const repaired = [...damaged, ...fresh].includes(packedFile) ? repairPacked(before, now) : undefined;
  const broken = new Set([...damaged, ...(repaired ? [packedFile] : [])]);
  const wrong = isSame ? [...emptied, ...broken] : [];
  const said = [
    ...clearObstacles(before, now, wrong),
    ...wrong.map((path) => {
      if (emptied.includes(path)) return putReferenceBack(path, before);
      return repaired && path === packedFile
        ? putRepairedBack(path, repaired)
        : putEssentialBack(path, before);
    }),
  ];
  return { ...(said.length === 0 ? now : readGitState(before, now)), said };
}

/** Packed references and indexes that the command made, and that git cannot read. */
function findFresh(before: GitState, now: GitState): string[] {
  return now.unreadable.filter((path) => !before.essentials.has(path) && !before.unreadable.includes(path));
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
function clearObstacles(before: GitState, now: GitState, replaced: readonly string[]): string[] {
  const known = new Set([...before.obstacles, ...before.references.odd].map(getPath));
  const describeAt = (path: string): Obstacle => ({ path, what: describeOdd(path) });
  const odd = [...findFresh(before, now), ...now.references.odd].map(describeAt);
  const found = new Map([...odd, ...findObstacles(before)].map((one) => [one.path, one]));
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
  if (stat?.isDirectory()) return 'a directory';
  const what = stat && describeObstacle(path, stat);
  return what ?? (stat?.isFile() ? 'a file that git cannot read' : 'something that is not a file');
}

/** A file or a directory is only moved aside. False where that failed, or a link is in the way. */
function clear(path: string): boolean {
  const held = holdDirectory(dirname(path));
  if (!held.ok) return false;
  try {
    const here = join(held.value.path, basename(path));
    const found = lstatSync(here);
    // Among references git reads a file of any other name too.
    const dot = path.includes('/refs/') ? '.' : '';
    const aside = join(held.value.path, `${dot}${basename(path)}.removed-${randomIds.token(8)}`);
    if (found.isFile() || found.isDirectory()) renameSync(here, aside);
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

function putRepairedBack(path: string, repaired: Partial<KeptFile>): string {
  const did = `The command left ${show(path)} in a form that git cannot read.`;
  return putFileBack(path, repaired)
    ? `${did} It was rewritten with the earlier references and those that could still be read.`
    : `${did} It could not be rewritten.`;
}

function putEssentialBack(path: string, { essentials }: GitState): string {
  const did = `The command removed or overwrote ${show(path)}`;
  const isDone = putFileBack(path, essentials.get(path) ?? {});
  if (isDone) return `${did}, so git could no longer read it. It was restored.`;
  const hint =
    basename(path) === 'index' ? ` To recreate it from the last commit: rm -f ${show(path)}; git reset` : '';
  return `${did}, and git can no longer read it. It could not be restored.${hint}`;
}

function show(name: string): string {
  return escapeHarnessTags(visibleLine(name, 300));
}
