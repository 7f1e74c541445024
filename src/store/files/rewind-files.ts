import { isAbsolute, join, normalize, relative, sep } from 'node:path';
import type { FileHistoryRecord } from '../../protocol/record.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { changesSince, type PlacedRecord, type RewindGoal } from './file-lineage.ts';
import { type FileLook, isSameLook, isSameMode, linkTarget, lookAfter, lookBefore } from './file-look.ts';
import { isKept } from './kept-bytes.ts';
import { lookAt, type Present } from './present-file.ts';

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
  /** With `restore`: something is in the way that is removed first; what is there then is looked at again. */
  isBehind?: true;
  /** Something changed or made it after the point and before its first edit: what it was at the point is not known. */
  isGuess?: true;
  /** What it held then is what git's index named, not what was read. */
  isFromGit?: true;
  /** What the file holds may be somebody's own work: only with `force` it is overwritten. */
  isOthers?: true;
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

/** Where one goes back to. */
export interface FilePoint {
  /** How many of the records are from before it. */
  place: number;
  /** Its time. */
  at: string;
}

/**
 * What it takes to have all files as they were at a point. `all` says what the session knows of each file: what is there
 * now and is not known has been changed by somebody else.
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

/** What is known of one file: its first record from the point on, the last one, and the changes that would be lost. */
interface Known {
  first: FileHistoryRecord;
  last: FileHistoryRecord;
  lost(now: FileLook): readonly FileHistoryRecord[];
  /** Something changed it after the point and before that first record. */
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
  const refuse = (reason: string, present: Present = { kind: 'nothing' }): FilePlan => ({
    ...facts,
    ...{ action: 'refuse', reason, present },
  });
  const isOurs = isAbsolute(path) && normalize(path) === path && roots.some((root) => isInside(root, path));
  if (!isOurs) return refuse('it is outside the working directories.');
  const apart = places.apart(path);
  if (apart !== undefined) return refuse(apart);
  const present = lookAt(path);
  // There was nothing, and the directory that is there may hold work that is not known.
  if (present.kind === 'directory' && target === null) return { ...facts, action: 'same', present };
  if (present.kind === 'other' || present.kind === 'directory')
    return { ...refuse(present.reason, present), ...(present.isLink ? { isLink: true } : {}) };
  const now: FileLook = present.kind === 'nothing' ? { hash: null } : lookNow(present);
  if (present.kind === 'link' && ![known.last.before, known.last.after, target].includes(present.hash))
    return { ...refuse('a link leads elsewhere now.', present), isLink: true };
  if (isSameLook(now, { hash: target, ...mode })) return { ...facts, action: 'same', present };
  if (target !== null && linkTarget(target) === undefined && !isKept(places.directory, target))
    return refuse(describeUnkept(target), present);
  const stranger = findStranger(known, now, present.kind === 'file' ? present.unkept : undefined);
  // Not by force either: what the file holds now may be just what it held then.
  const isOthersNow = stranger === changedSince || (stranger !== undefined && known.last.cause === 'outside');
  if (isOthersNow && known.isGuess) return refuse(describeUnknownThen(places.directory, target), present);
  if (stranger !== undefined && !places.force) return { ...refuse(stranger, present), needsForce: true };
  const action = target === null ? 'remove' : 'restore';
  return { ...facts, action, present, ...(stranger === undefined ? {} : { isOthers: true }) };
}

const changedSince = 'you or another program changed it since the session last wrote it.';

/** What was kept is named, for whoever wants it all the same. */
function describeUnknownThen(directory: string, target: string | null): string {
  const isFile = target !== null && linkTarget(target) === undefined;
  const kept = isFile
    ? ` What it held before the first edit or command is in ${join(directory, target)}.`
    : '';
  return `you or another program changed it both after this point and since the session last wrote it, so how it was at this point is not known.${kept}`;
}

function lookNow(present: Extract<Present, { hash: string }>): FileLook {
  return { hash: present.hash, ...(present.kind === 'file' ? { mode: present.mode } : {}) };
}

function describeUnkept(target: string): string {
  const [, why] = /^unkept: (.*?)(?: \([^()]*changed at [\d.]+\))?$/s.exec(target) ?? [];
  return `what it held then was not kept: ${why ?? 'it could not be read, or was too large'}.`;
}

/**
 * A command put a link, or a directory, in the place of what is to come back. Where that is undone first it is not in the
 * way: the plan is made as if it were gone, and whoever follows the plan looks again.
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
  if (!isGoing) return plan;
  const { reason: _, isLink: __, ...rest } = plan;
  return { ...rest, action: 'restore', isBehind: true };
}

/** Why the present content may hold somebody's own work. `unkept`: how it is named where it is too large to be recorded. */
function findStranger({ first, last, lost }: Known, now: FileLook, unkept?: string): string | undefined {
  // Nothing is there that could be lost.
  if (now.hash === null && last.after === null) return undefined;
  const known = [lookBefore(last), lookAfter(last)].filter((look) => look !== undefined);
  if (!known.some(({ hash }) => hash === now.hash || (hash !== null && hash === unkept))) return changedSince;
  // Permissions are no work that is lost when the whole file goes.
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
