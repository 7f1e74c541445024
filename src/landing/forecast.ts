import { existsSync } from 'node:fs';
import { ok, type Problem, type Result } from '../lib/result.ts';
import { isInUse, type WorktreeRecord } from '../workspace/worktrees/record.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import { type Candidate, findWorktrees, pickOwner, readCandidate, resolveTarget } from './candidates.ts';
import { changesBetween } from './changes.ts';
import { findCheckout } from './checkouts.ts';
import { inTheWay } from './in-the-way.ts';
import { lookOnly } from './look-only.ts';
import { replay } from './replay.ts';
import type { Conflict, Ground, Owner } from './types.ts';

export interface WorkOverlap {
  /** Another worktree, a branch, or `uncommitted changes`, ignored files among them. */
  with: string;
  files: string[];
  /** Parts that cannot be merged now. Empty: the same files, but git can merge them. */
  conflicts: Conflict[];
}

export interface Outlook {
  name: string;
  owner: Owner;
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
  const candidates: Candidate[] = [];
  const unknown: Outlook[] = [];
  for (const record of found.value) {
    const candidate = await readCandidate(record, ground);
    if (candidate.ok) candidates.push(candidate.value);
    else unknown.push(unseen(record, candidate.problem));
  }
  // Read only, so unfinished operations there do not prevent a forecast.
  const place = await findCheckout(target.value.branch, ground);
  if (!place.ok) return place;
  const worktrees: Outlook[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const at = { target: target.value, top: place.value.top, ground };
    const outlook = await assess(candidate, candidates.slice(0, index), at);
    if (!outlook.ok && ground.world.signal?.aborted) return outlook;
    // One that git cannot put anywhere says nothing about the others.
    const { record, files } = candidate;
    worktrees.push(outlook.ok ? outlook.value : { ...unseen(record, outlook.problem), files });
  }
  return ok({ target: target.value.branch, worktrees: [...worktrees, ...unknown] });
}

interface Place {
  target: { branch: string; commit: string };
  /** Of the checkout that would follow, if there is one. */
  top: string | undefined;
  ground: Ground;
}

/** One worktree, against the target, the user's own changes and those before it. */
async function assess(
  candidate: Candidate,
  earlier: readonly Candidate[],
  { target, top, ground }: Place,
): Promise<Result<Outlook>> {
  const { name, owner, isBusy, files, obstacle, record, tip } = candidate;
  const overlaps: WorkOverlap[] = [];
  const alone = await replay(candidate, target.commit, target, ground);
  if (!alone.ok) return alone;
  if (alone.value.kind === 'conflict')
    overlaps.push({
      with: target.branch,
      files: listPaths(alone.value.conflicts),
      conflicts: alone.value.conflicts,
    });
  // Of work that conflicts the result is unknown, but not the files that it changes.
  const { commit: from } = target;
  const touched =
    alone.value.kind === 'landed'
      ? await findTouched({ from, to: alone.value.commit }, top, ground)
      : alone.value.kind === 'conflict'
        ? await findTouched({ from, to: tip, since: record.base }, top, ground)
        : ok([]);
  if (!touched.ok) return touched;
  if (touched.value.length > 0) overlaps.push({ with: uncommitted, files: touched.value, conflicts: [] });
  for (const other of earlier) {
    const others = new Set(other.files);
    const both = files.filter((path) => others.has(path));
    if (both.length === 0) continue;
    const clash = await against(candidate, other, target, ground);
    if (!clash.ok) return clash;
    overlaps.push({ with: other.name, files: both, conflicts: clash.value });
  }
  const hindered = obstacle === undefined ? {} : { obstacle };
  const touchedPaths = alone.value.kind === 'landed' ? alone.value.protected : [];
  const watched = touchedPaths.length > 0 ? { protected: touchedPaths } : {};
  return ok({ name, owner, isBusy, files, overlaps, ...watched, ...hindered });
}

function unseen(record: WorktreeRecord, { message, hint = '' }: Problem): Outlook {
  const obstacle = `${message} ${hint}`.trim();
  const owner = pickOwner(record);
  return { name: record.slug, owner, isBusy: isInUse(record), files: [], overlaps: [], obstacle };
}

export const uncommitted = 'uncommitted changes';

/**
 * The user's files in the way in the checkout that would move: changed, untracked or ignored. They are compared with
 * `from`, which is what the checkout has. `since`: only files that were changed from there on.
 */
async function findTouched(
  { from, to, since }: { from: string; to: string; since?: string },
  top: string | undefined,
  { world }: Ground,
): Promise<Result<string[]>> {
  if (top === undefined || !existsSync(top)) return ok([]);
  const git = bindGit(world, top);
  const changes = await changesBetween(git, from, to);
  if (!changes.ok) return changes;
  const own = since === undefined ? changes : await changesBetween(git, since, to);
  if (!own.ok) return own;
  const paths = new Set(own.value.map(({ path }) => path));
  const concerned = changes.value.filter(({ path }) => paths.has(path));
  const found = await inTheWay(top, concerned, git, world.objects?.own ?? world.home);
  return found.ok ? ok([...found.value.uncommitted, ...found.value.foreign]) : found;
}

/** Each against the ones before it. One that cannot land, or conflicts with the target, was reported above. */
async function against(
  candidate: Candidate,
  other: Candidate,
  target: { branch: string; commit: string },
  ground: Ground,
): Promise<Result<Conflict[]>> {
  const first = await replay(other, target.commit, target, ground);
  if (!first.ok || first.value.kind !== 'landed') return ok([]);
  const second = await replay(candidate, first.value.commit, target, ground);
  if (!second.ok) return second;
  return ok(second.value.kind === 'conflict' ? second.value.conflicts : []);
}

function listPaths(conflicts: readonly Conflict[]): string[] {
  return conflicts.map(({ path }) => path);
}
