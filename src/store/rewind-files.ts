import { isAbsolute, normalize, relative, sep } from 'node:path';
import type { FileHistoryRecord } from '../protocol/record.ts';
import { realPathOf } from '../workspace/real-path.ts';
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
  mode?: number;
  present: Present;
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
 * the session knows of each file: what is there now and is not known has been changed by somebody else.
 */
export function planFiles(
  all: readonly FileHistoryRecord[],
  later: readonly FileHistoryRecord[],
  places: FilePlaces,
): FilePlan[] {
  const roots = places.roots.map(realPathOf);
  const first = new Map<string, FileHistoryRecord>();
  for (const record of later) if (!first.has(record.path)) first.set(record.path, record);
  return [...first.values()].map((record) => planFile(record, all, later, places, roots));
}

function planFile(
  { path, before: target, mode }: FileHistoryRecord,
  all: readonly FileHistoryRecord[],
  later: readonly FileHistoryRecord[],
  places: FilePlaces,
  roots: readonly string[],
): FilePlan {
  const facts = { path, target, ...(mode === undefined ? {} : { mode }) };
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
  const now = present.kind === 'file' ? present.hash : null;
  if (now === target) return { ...facts, action: 'same', present };
  if (target !== null && !isKept(places.directory, target))
    return refuse('what it held then was not kept: it could not be read, or was too large.', present);
  const stranger = places.force ? undefined : strangerAt(path, now, all, later);
  if (stranger !== undefined) return { ...refuse(stranger, present), needsForce: true };
  return { ...facts, action: target === null ? 'remove' : 'restore', present };
}

/** Why the present content may hold somebody's own work. */
function strangerAt(
  path: string,
  now: string | null,
  all: readonly FileHistoryRecord[],
  later: readonly FileHistoryRecord[],
): string | undefined {
  const last = all.findLast((record) => record.path === path);
  const isKnown = last && (now === last.before || now === last.after);
  if (!isKnown) return 'somebody else changed it since it was last written here.';
  const own = later.filter((record) => record.path === path);
  const since = own.slice(own.findLastIndex((record) => record.cause === 'rewind') + 1);
  return since.some((record) => record.cause === 'outside')
    ? 'somebody else changed it between two prompts, and that would be undone too.'
    : undefined;
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
