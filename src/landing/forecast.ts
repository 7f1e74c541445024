import { ok, type Problem, type Result } from '../lib/result.ts';
import { isInUse } from '../workspace/worktrees/in-use.ts';
import type { WorktreeRecord } from '../workspace/worktrees/record.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import { findBlocking } from './blocked.ts';
import { type Candidate, describeRecord, findWorktrees, readCandidate, resolveTarget } from './candidates.ts';
import { findCheckout } from './checkouts.ts';
import { lookOnly } from './look-only.ts';
import { mayMeet } from './may-meet.ts';
import { type Change, changesBetween } from './moving/changes.ts';
import { replay } from './replay.ts';
import type { About, Conflict, Ground } from './types.ts';

export interface WorkOverlap {
  /** Another worktree, a branch, or `uncommitted changes`, ignored files among them. */
  with: string;
  files: string[];
  /** Parts that cannot be merged now. Empty: the same files, but git can merge them. */
  conflicts: Conflict[];
}

export interface Outlook extends About {
  isBusy: boolean;
  files: string[];
  overlaps: WorkOverlap[];
  /** Files that other programs run or read settings from, in any commit that would land. */
  protected?: string[];
  /** Why it cannot land as it is, and what to do about it. */
  obstacle?: string;
}

/**
 * Overlaps and conflicts if everything were landed now: each worktree against the target, against the user's uncommitted
 * changes, and against those before it. Also while agents are running. Changes nothing.
 */
export function forecast(
  ground: Ground,
  names?: readonly string[],
  onto?: string,
): Promise<Result<Forecast>> {
  return lookOnly(ground, (looking) => foresee(looking, names, onto));
}

export interface Forecast {
  target: string;
  worktrees: Outlook[];
}

async function foresee(
  ground: Ground,
  names: readonly string[] | undefined,
  onto: string | undefined,
): Promise<Result<Forecast>> {
  const found = findWorktrees(ground, names);
  if (!found.ok) return found;
  const target = await resolveTarget(ground, onto);
  if (!target.ok) return target;
  // Read only, so unfinished operations there do not prevent a forecast.
  const place = await findCheckout(target.value.branch, ground);
  if (!place.ok) return place;
  const at = { target: target.value, top: place.value.top, ground };
  const earlier: Alone[] = [];
  const worktrees: Outlook[] = [];
  const unknown: Outlook[] = [];
  for (const record of found.value) {
    const candidate = await readCandidate(record, ground, target.value.commit);
    if (!candidate.ok) {
      unknown.push(unseen(record, candidate.problem, ground.world.home));
      continue;
    }
    const outlook = await assess(candidate.value, earlier, at);
    if (!outlook.ok && ground.world.signal?.aborted) return outlook;
    // One that git cannot put anywhere says nothing about the others.
    const { files } = candidate.value;
    worktrees.push(
      outlook.ok ? outlook.value : { ...unseen(record, outlook.problem, ground.world.home), files },
    );
  }
  return ok({ target: target.value.branch, worktrees: [...worktrees, ...unknown] });
}

interface Place {
  target: { branch: string; commit: string };
  /** Of the checkout that would follow, if there is one. */
  top: string | undefined;
  ground: Ground;
}

/** One worktree's work on the target, without that of others. */
interface Alone {
  candidate: Candidate;
  commit: string;
  changes: readonly Change[];
}

/** One worktree, against the target, the user's own changes and those before it, to which it is added. */
async function assess(
  candidate: Candidate,
  earlier: Alone[],
  { target, top, ground }: Place,
): Promise<Result<Outlook>> {
  const { isBusy, files, obstacle, record, tip, start } = candidate;
  const overlaps: WorkOverlap[] = [];
  const alone = await replay(candidate, target.commit, target, ground);
  if (!alone.ok) return alone;
  if (alone.value.kind === 'conflict')
    overlaps.push({
      with: alone.value.with ?? target.branch,
      files: listPaths(alone.value.conflicts),
      conflicts: alone.value.conflicts,
    });
  // Of work that conflicts the result is unknown, but not the files that it changes.
  const { commit: from } = target;
  const blocking =
    alone.value.kind === 'landed'
      ? await findBlocking({ from, to: alone.value.commit }, top, ground)
      : alone.value.kind === 'conflict'
        ? await findBlocking({ from, to: tip, since: start }, top, ground)
        : undefined;
  if (blocking && !blocking.ok) return blocking;
  const touched = [...(blocking?.value.uncommitted ?? []), ...(blocking?.value.foreign ?? [])];
  if (touched.length > 0) overlaps.push({ with: uncommitted, files: touched, conflicts: [] });
  const own = alone.value.kind === 'landed' ? alone.value.commit : tip;
  const changes = await changesBetween(bindGit(ground.world, ground.repository.top), from, own);
  if (!changes.ok) return changes;
  for (const other of earlier) {
    const others = new Set(other.candidate.files);
    const both = files.filter((path) => others.has(path));
    if (both.length === 0 && !mayMeet(changes.value, other.changes)) continue;
    const clash = await against(candidate, other, target, ground);
    if (!clash.ok) return clash;
    if (both.length === 0 && clash.value.length === 0) continue;
    const named = both.length > 0 ? both : listPaths(clash.value);
    overlaps.push({ with: other.candidate.name, files: named, conflicts: clash.value });
  }
  if (alone.value.kind === 'landed') earlier.push({ candidate, commit: own, changes: changes.value });
  const hindered = obstacle === undefined ? {} : { obstacle };
  const touchedPaths = alone.value.kind === 'landed' ? alone.value.protected : [];
  const watched = touchedPaths.length > 0 ? { protected: touchedPaths } : {};
  return ok({ ...describeRecord(record), isBusy, files, overlaps, ...watched, ...hindered });
}

function unseen(record: WorktreeRecord, { message, hint = '' }: Problem, home: string): Outlook {
  const obstacle = `${message} ${hint}`.trim();
  return { ...describeRecord(record), isBusy: isInUse(record, home), files: [], overlaps: [], obstacle };
}

export const uncommitted = 'uncommitted changes';

/** Each against the ones before it. One that cannot land, or conflicts with the target, was reported above. */
async function against(
  candidate: Candidate,
  other: Alone,
  target: { branch: string; commit: string },
  ground: Ground,
): Promise<Result<Conflict[]>> {
  const second = await replay(candidate, other.commit, target, ground);
  if (!second.ok) return second;
  return ok(second.value.kind === 'conflict' ? second.value.conflicts : []);
}

function listPaths(conflicts: readonly Conflict[]): string[] {
  return conflicts.map(({ path }) => path);
}
