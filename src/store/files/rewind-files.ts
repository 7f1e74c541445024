import { isAbsolute, join, normalize, relative, sep } from 'node:path';
import type { FileHistoryRecord } from '../../protocol/record.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { changesSince, type PlacedRecord, type RewindGoal } from './file-lineage.ts';
import { type FileLook, isSameLook, isSameMode, linkTarget, lookAfter, lookBefore } from './file-look.ts';
import { isHollow } from './hollow.ts';
import { isKept } from './kept-bytes.ts';
import { forgetBytes, lookAt, type Seen } from './present-file.ts';

/** The effect of a rewind on one file. */
export interface FilePlan {
  path: string;
  /** `same`: it already has the earlier content. */
  action: 'restore' | 'remove' | 'same' | 'refuse';
  /** Why it is not touched: completes "Cannot restore …: ". */
  reason?: string;
  /** With `refuse`: a change by the user or another program would be lost, so it needs their consent. */
  needsForce?: true;
  /** With `refuse`: a link is in the way. */
  isLink?: true;
  /** With `refuse`: it is in none of the working directories. */
  isOutside?: true;
  /** The hash of its content then; null: the file did not exist. */
  target: string | null;
  /** Its permissions then, where known. */
  mode?: number;
  present: Seen;
  /** With `restore`: an obstacle is removed first; the path is then checked again. */
  isBehind?: true;
  /** It was changed or created after the point and before its first edit: its state at the point is unknown. */
  isGuess?: true;
  /** Its content then comes from git's index; it was not read. */
  isFromGit?: true;
  /** The present content may be the user's own work: it is overwritten only with `force`. */
  isOthers?: true;
}

export interface FilePlaces {
  /** The directory with the kept bytes. */
  directory: string;
  /** Nothing outside these is touched, even if links lead there. */
  roots: readonly string[];
  /** Why a file is out of scope, for example because it is in an agent's own worktree. */
  apart(path: string): string | undefined;
  /** Also overwrites changes by others, after keeping a copy. */
  force?: boolean;
}

/** The target of a rewind. */
export interface FilePoint {
  /** Number of records before it. */
  place: number;
  /** Its time. */
  at: string;
}

/**
 * The steps that restore all files to a point. `all` is what the session knows about each file: unknown present content was
 * written by others.
 */
export function planFiles(
  all: readonly FileHistoryRecord[],
  point: FilePoint,
  places: FilePlaces,
  findGoal: RewindGoal,
): FilePlan[] {
  const roots = places.roots.map(resolveRealPath);
  const placed = all.map((record, place) => ({ record, place }));
  const plans = [...Map.groupBy(placed, ({ record }) => record.path).values()].flatMap((own) => {
    const known = findKnown(own, point, findGoal);
    if (!known) return [];
    const { changedAt, isFromGit } = known.first;
    const isGuess = changedAt !== undefined && changedAt >= point.at;
    const plan = planFile({ ...known, isGuess }, places, roots);
    return {
      ...plan,
      ...(isGuess ? { isGuess: true as const } : {}),
      ...(isFromGit ? { isFromGit } : {}),
    };
  });
  return plans.map((plan) => withoutObstacle(plan, plans));
}

/** The known facts about one file: its first record since the point, the last one, and the changes that would be lost. */
interface Known {
  first: FileHistoryRecord;
  last: FileHistoryRecord;
  lost(now: FileLook): readonly FileHistoryRecord[];
  /** It was changed after the point and before that first record. */
  isGuess?: boolean;
}

function findKnown(own: readonly PlacedRecord[], point: FilePoint, findGoal: RewindGoal): Known | undefined {
  const first = own.find(({ place }) => place >= point.place)?.record;
  const last = own.at(-1)?.record;
  return first && last && { first, last, lost: (now) => changesSince(own, now, point.place, findGoal) };
}

function planFile(known: Known, places: FilePlaces, roots: readonly string[]): FilePlan {
  const { first } = known;
  const { path } = first;
  const { hash: target, ...mode } = lookBefore(first);
  const facts = { path, target, ...mode };
  const refuse = (reason: string, present: Seen = { kind: 'nothing' }): FilePlan => ({
    ...facts,
    action: 'refuse',
    reason,
    present,
  });
  const isOurs = isAbsolute(path) && normalize(path) === path && roots.some((root) => isInside(root, path));
  if (!isOurs) return { ...refuse('it is outside the working directories.'), isOutside: true };
  const apart = places.apart(path);
  if (apart !== undefined) return refuse(apart);
  const present = forgetBytes(lookAt(path));
  // Nothing existed there, and the present directory may hold unknown work.
  if (present.kind === 'directory' && target === null) return { ...facts, action: 'same', present };
  const isLeft = present.kind === 'special' && target === null;
  if (present.kind === 'other' || present.kind === 'directory' || isLeft)
    return { ...refuse(present.reason, present), isLink: present.isLink || undefined };
  const isEmpty = present.kind === 'nothing' || present.kind === 'special';
  const now: FileLook = isEmpty ? { hash: null } : lookNow(present);
  if (present.kind === 'link' && ![known.last.before, known.last.after, target].includes(present.hash))
    return { ...refuse('a link now points elsewhere.', present), isLink: true };
  if (isSameLook(now, { hash: target, ...mode })) return { ...facts, action: 'same', present };
  if (target !== null && linkTarget(target) === undefined && !isKept(places.directory, target))
    return refuse(describeUnkept(target), present);
  const stranger = findStranger(known, now, present.kind === 'file' ? present.unkept : undefined);
  // Not by force either: the present content may be exactly the earlier one.
  const isOthersNow = stranger === changedSince || (stranger !== undefined && known.last.cause === 'outside');
  if (isOthersNow && known.isGuess) return refuse(describeUnknownThen(places.directory, target), present);
  if (stranger !== undefined && !places.force) return { ...refuse(stranger, present), needsForce: true };
  const action = target === null ? 'remove' : 'restore';
  return { ...facts, action, present, isOthers: stranger !== undefined || undefined };
}

const changedSince = 'you or another program changed it since the session last wrote it.';

/** Names the kept content, for users who want it anyway. */
function describeUnknownThen(directory: string, target: string | null): string {
  const isFile = target !== null && linkTarget(target) === undefined;
  const kept = isFile
    ? ` Its content before the first edit or command is in ${join(directory, target)}.`
    : '';
  return `you or another program changed it both after this point and since the session last wrote it, so its content at this point is unknown.${kept}`;
}

function lookNow(present: Extract<Seen, { hash: string }>): FileLook {
  return { hash: present.hash, mode: present.kind === 'file' ? present.mode : undefined };
}

function describeUnkept(target: string): string {
  const [, why] = /^unkept: (.*?)(?: \([^()]*changed at [\d.]+\))?$/s.exec(target) ?? [];
  return `its content then was not kept: ${why ?? 'it could not be read, or was too large'}.`;
}

/**
 * A command put a link or a directory in the place of a file to restore. If that is undone first, it is not in the way: the
 * plan assumes it is gone, and executing the plan checks again.
 */
function withoutObstacle(plan: FilePlan, plans: readonly FilePlan[]): FilePlan {
  if (plan.action !== 'refuse' || !plan.isLink || plan.target === null) return plan;
  const { path, present } = plan;
  const isGoing = plans.some(
    ({ action, path: other, present: there }) =>
      action === 'remove' &&
      (present.kind === 'directory'
        ? other.startsWith(`${path}/`)
        : there.kind === 'link' && path.startsWith(`${other}/`)),
  );
  if (!isGoing && !(present.kind === 'directory' && isHollow(path))) return plan;
  const { reason: _, isLink: __, ...rest } = plan;
  return { ...rest, action: 'restore', isBehind: true };
}

/** Why the present content may be the user's own work. `unkept`: how it is named where it is too large to be recorded. */
function findStranger({ first, last, lost }: Known, now: FileLook, unkept?: string): string | undefined {
  // There is nothing to lose.
  if (now.hash === null && last.after === null) return undefined;
  const known = [lookBefore(last), lookAfter(last)].filter((look) => look !== undefined);
  if (!known.some(({ hash }) => hash === now.hash || (hash !== null && hash === unkept))) return changedSince;
  // When the whole file goes, its permissions are not worth keeping.
  const isGoing = first.before === null;
  if (!isGoing && !known.some((look) => isSameMode(look, now)))
    return 'you or another program changed its permissions since the session last wrote it.';
  return lost(now).some(({ cause, before, after }) => cause === 'outside' && !(isGoing && before === after))
    ? 'you or another program changed it between two prompts, and that change would be lost.'
    : undefined;
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
