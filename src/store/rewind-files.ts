import { isAbsolute, normalize, relative, sep } from 'node:path';
import type { FileHistoryRecord } from '../protocol/record.ts';
import { realPathOf } from '../workspace/real-path.ts';
import { type FileLook, isSameLook, isSameMode, lookAfter, lookBefore } from './file-look.ts';
import { isKept } from './kept-bytes.ts';
import { lookAt, type Present } from './put-back.ts';

/** What going back would do to one file. */
export interface FilePlan {
  path: string;
  /** `same`: it holds what it held then already. */
  action: 'restore' | 'remove' | 'same' | 'refuse';
  /** Why it is not touched: completes "Cannot restore …: ". */
  reason?: string;
  /** With `refuse`: somebody's own change would be lost, so that it takes a word of theirs. */
  needsForce?: true;
  /** With `refuse`: a link is in the way. */
  isLink?: true;
  /** The hash of what it held then; null: there was no such file. */
  target: string | null;
  /** The permissions it had then, where they are known. */
  mode?: number;
  present: Present;
  /** Something changed or made it after the point and before its first edit: what it was at the point is not known. */
  isGuess?: true;
}

export interface FilePlaces {
  /** Holds the kept bytes. */
  directory: string;
  /** Nothing outside of these is touched, whatever links lead there. */
  roots: readonly string[];
  /** Why a file is somebody else's affair, such as one in an agent's own worktree. */
  apart(path: string): string | undefined;
  /** Overwrites also what others changed; it is kept first. */
  force?: boolean;
}

/**
 * What it takes to have all files as they were before the first of `later`, the records from a point on. `all` says what
 * the session knows of each file: what is there now and is not known has been changed by somebody else. `at` is the time
 * of the point.
 */
export function planFiles(
  all: readonly FileHistoryRecord[],
  later: readonly FileHistoryRecord[],
  places: FilePlaces,
  at: string,
): FilePlan[] {
  const roots = places.roots.map(realPathOf);
  const first = new Map<string, FileHistoryRecord>();
  for (const record of later) if (!first.has(record.path)) first.set(record.path, record);
  return [...first.values()].map((record) => ({
    ...planFile(record, all, later, places, roots),
    ...(record.changedAt !== undefined && record.changedAt >= at ? { isGuess: true } : {}),
  }));
}

function planFile(
  first: FileHistoryRecord,
  all: readonly FileHistoryRecord[],
  later: readonly FileHistoryRecord[],
  places: FilePlaces,
  roots: readonly string[],
): FilePlan {
  const { path } = first;
  const { hash: target, ...mode } = lookBefore(first);
  const facts = { path, target, ...mode };
  const refuse = (reason: string, present: Present = { kind: 'nothing' }): FilePlan => ({
    ...facts,
    ...{ action: 'refuse', reason, present },
  });
  const isOurs = isAbsolute(path) && normalize(path) === path && roots.some((root) => isInside(root, path));
  if (!isOurs) return refuse('it is outside the working directories.');
  const apart = places.apart(path);
  if (apart !== undefined) return refuse(apart);
  const present = lookAt(path);
  if (present.kind === 'other')
    return { ...refuse(present.reason, present), ...(present.isLink ? { isLink: true } : {}) };
  const now: FileLook = present.kind === 'file' ? present : { hash: null };
  if (isSameLook(now, { hash: target, ...mode })) return { ...facts, action: 'same', present };
  if (target !== null && !isKept(places.directory, target))
    return refuse('what it held then was not kept: it could not be read, or was too large.', present);
  const stranger = places.force ? undefined : strangerAt(first, now, all, later);
  if (stranger !== undefined) return { ...refuse(stranger, present), needsForce: true };
  return { ...facts, action: target === null ? 'remove' : 'restore', present };
}

/** Why the present content may hold somebody's own work. */
function strangerAt(
  { path, before: target }: FileHistoryRecord,
  now: FileLook,
  all: readonly FileHistoryRecord[],
  later: readonly FileHistoryRecord[],
): string | undefined {
  const last = all.findLast((record) => record.path === path);
  const known = last ? [lookBefore(last), lookAfter(last)].filter((look) => look !== undefined) : [];
  if (!known.some(({ hash }) => hash === now.hash))
    return 'somebody else changed it since it was last written here.';
  // Permissions are no work that is lost when the whole file goes.
  const isGoing = target === null;
  if (!isGoing && !known.some((look) => isSameMode(look, now)))
    return 'somebody else changed its permissions since it was last written here.';
  const own = later.filter((record) => record.path === path);
  const since = own.slice(own.findLastIndex((record) => record.cause === 'rewind') + 1);
  return since.some(({ cause, before, after }) => cause === 'outside' && !(isGoing && before === after))
    ? 'somebody else changed it between two prompts, and that would be undone too.'
    : undefined;
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
