import { ok, type Problem, type Result } from '../lib/result.ts';
import { isInUse, type WorktreeRecord } from '../workspace/worktree-record.ts';
import { gitIn } from '../workspace/worktree-repository.ts';
import { type Candidate, candidateOf, findWorktrees, ownerOf, targetOf } from './candidates.ts';
import { lookOnly } from './look-only.ts';
import { replay } from './replay.ts';
import type { Conflict, Ground, Owner } from './types.ts';

export interface Overlap {
  /** Another worktree, a branch, or `uncommitted changes`. */
  with: string;
  files: string[];
  /** What could not be merged as things stand. Empty: the same files, but git can put them together. */
  conflicts: Conflict[];
}

export interface Outlook {
  name: string;
  owner: Owner;
  isBusy: boolean;
  files: string[];
  overlaps: Overlap[];
  /** Why it cannot land as it is, and what to do about it. */
  obstacle?: string;
}

/**
 * Who changes what, and what would not fit together if it were landed now: each worktree against the target, against
 * what the user has not committed, and against those before it. Also while agents are at work. Changes nothing.
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
  const target = await targetOf(ground, onto);
  if (!target.ok) return target;
  const candidates: Candidate[] = [];
  const unknown: Outlook[] = [];
  for (const record of found.value) {
    const candidate = await candidateOf(record, ground);
    if (candidate.ok) candidates.push(candidate.value);
    else unknown.push(unseen(record, candidate.problem));
  }
  const dirty = await uncommittedFiles(ground);
  if (!dirty.ok) return dirty;
  const worktrees: Outlook[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const { name, owner, isBusy, files, obstacle } = candidate;
    const overlaps: Overlap[] = [];
    const alone = await replay(candidate, target.value.commit, target.value, ground);
    if (!alone.ok) return alone;
    if (alone.value.kind === 'conflict')
      overlaps.push({
        with: target.value.branch,
        files: pathsOf(alone.value.conflicts),
        conflicts: alone.value.conflicts,
      });
    const touched = files.filter((path) => dirty.value.includes(path));
    if (touched.length > 0) overlaps.push({ with: uncommitted, files: touched, conflicts: [] });
    for (const other of candidates.slice(0, index)) {
      const both = files.filter((path) => other.files.includes(path));
      if (both.length === 0) continue;
      const clash = await against(candidate, other, target.value, ground);
      if (!clash.ok) return clash;
      overlaps.push({ with: other.name, files: both, conflicts: clash.value });
    }
    const hindered = obstacle === undefined ? {} : { obstacle };
    worktrees.push({ name, owner, isBusy, files, overlaps, ...hindered });
  }
  return ok({ target: target.value.branch, worktrees: [...worktrees, ...unknown] });
}

function unseen(record: WorktreeRecord, { message, hint = '' }: Problem): Outlook {
  const obstacle = `${message} ${hint}`.trim();
  const owner = ownerOf(record);
  return { name: record.slug, owner, isBusy: isInUse(record), files: [], overlaps: [], obstacle };
}

export const uncommitted = 'uncommitted changes';

/** What the user has changed and not committed in the checkout that was asked from. */
export async function uncommittedFiles(
  { repository, world }: Ground,
  cwd = repository.top,
): Promise<Result<string[]>> {
  const listed = await gitIn(
    world,
    cwd,
  )(['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all']);
  if (!listed.ok) return listed;
  return ok(
    listed.value
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => entry.slice(3)),
  );
}

/** The one after the other. One that does not fit the target by itself was named already. */
async function against(
  candidate: Candidate,
  other: Candidate,
  target: { branch: string; commit: string },
  ground: Ground,
): Promise<Result<Conflict[]>> {
  const first = await replay(other, target.commit, target, ground);
  if (!first.ok) return first;
  if (first.value.kind !== 'landed') return ok([]);
  const second = await replay(candidate, first.value.commit, target, ground);
  if (!second.ok) return second;
  return ok(second.value.kind === 'conflict' ? second.value.conflicts : []);
}

function pathsOf(conflicts: readonly Conflict[]): string[] {
  return conflicts.map(({ path }) => path);
}
