import { isAbsolute, normalize, relative, sep } from 'node:path';
import type { FileHistoryRecord } from '../protocol/record.ts';
import { realPathOf } from '../workspace/real-path.ts';
import { type FileLook, isSameLook, isSameMode, linkTarget, lookAfter, lookBefore } from './file-look.ts';
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
  /** With `restore`: something is in the way that is removed first; what is there then is looked at again. */
  isBehind?: true;
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
  const last = new Map(all.map((record) => [record.path, record]));
  const plans = [...Map.groupBy(later, ({ path }) => path).values()].map((own) => {
    const [first] = own;
    if (!first) throw new Error('a group without a record');
    const isGuess = first.changedAt !== undefined && first.changedAt >= at;
    const plan = planFile({ first, own, last: last.get(first.path) ?? first }, places, roots);
    return isGuess ? { ...plan, isGuess: true as const } : plan;
  });
  return plans.map((plan) => withoutObstacle(plan, plans));
}

/** What is known of one file: its records from the point on, the first of them, and the last of all. */
interface Known {
  first: FileHistoryRecord;
  own: readonly FileHistoryRecord[];
  last: FileHistoryRecord;
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
  const stranger = places.force ? undefined : strangerAt(known, now);
  if (stranger !== undefined) return { ...refuse(stranger, present), needsForce: true };
  return { ...facts, action: target === null ? 'remove' : 'restore', present };
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

/** Why the present content may hold somebody's own work. */
function strangerAt({ first, own, last }: Known, now: FileLook): string | undefined {
  // Nothing is there that could be lost.
  if (now.hash === null && last.after === null) return undefined;
  const known = [lookBefore(last), lookAfter(last)].filter((look) => look !== undefined);
  if (!known.some(({ hash }) => hash === now.hash))
    return 'you or another program changed it since the session last wrote it.';
  // Permissions are no work that is lost when the whole file goes.
  const isGoing = first.before === null;
  if (!isGoing && !known.some((look) => isSameMode(look, now)))
    return 'you or another program changed its permissions since the session last wrote it.';
  const since = own.slice(own.findLastIndex((record) => record.cause === 'rewind') + 1);
  return since.some(({ cause, before, after }) => cause === 'outside' && !(isGoing && before === after))
    ? 'you or another program changed it between two prompts, and that change would be lost.'
    : undefined;
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
