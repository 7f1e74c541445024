import { join } from 'node:path';
import { holdFileLock } from '../lib/file-lock.ts';
import { ok, type Result } from '../lib/result.ts';
import { snapshotTree } from '../workspace/worktree-changes.ts';
import { discardWorktree } from '../workspace/worktree-remove.ts';
import { gitIn } from '../workspace/worktree-repository.ts';
import { type Candidate, candidateOf, findWorktrees, ownerOf, targetOf } from './candidates.ts';
import { checker } from './check.ts';
import { forward } from './forward.ts';
import { type Layer, type Stack, stack, stackThatPasses, type Target } from './stack.ts';
import type { Ground, Landing, LandReport } from './types.ts';

export interface LandOptions {
  /** In this order; all there are, oldest first, unless named. */
  names?: readonly string[];
  onto?: string;
  /** Leaves the worktrees where they are. */
  keep?: boolean;
  /** Asked once all is worked out and before anything of the user's is touched. */
  agree(plan: LandReport): Promise<boolean>;
}

const longestWaitMs = 10 * 60_000;

/**
 * Brings the work of worktrees to a branch: in order, each on top of those before it, checked by the project's gate, and
 * then in one step. Until that step nothing that the user sees has changed; what does not fit stays where it is.
 */
export async function land(ground: Ground, options: LandOptions): Promise<Result<LandReport>> {
  const held = await holdFileLock(
    join(ground.repository.common, 'cadre-landing.lock'),
    ground.world.clock,
    longestWaitMs,
  );
  if (!held.ok) return held;
  try {
    const target = await targetOf(ground, options.onto);
    if (!target.ok) return target;
    const found = findWorktrees(ground, options.names);
    if (!found.ok) return found;
    const aside: Landing[] = [];
    const candidates: Candidate[] = [];
    for (const record of found.value) {
      const made = await candidateOf(record, ground);
      const about = { name: record.slug, owner: ownerOf(record) };
      if (!made.ok) aside.push({ ...about, status: 'failed', reason: made.problem.message });
      else if (made.value.isBusy) aside.push({ ...about, status: 'busy' });
      else candidates.push(made.value);
    }
    const stacked = await stackUp(candidates, target.value, ground);
    if (!stacked.ok) return stacked;
    ground.world.step?.('stacked');
    return await bringOver(
      { ...stacked.value, others: [...aside, ...stacked.value.others] },
      target.value,
      ground,
      options,
    );
  } finally {
    held.value();
  }
}

function stackUp(candidates: readonly Candidate[], target: Target, ground: Ground): Promise<Result<Stack>> {
  return ground.gate
    ? stackThatPasses(candidates, target, ground, checker(ground.gate, ground))
    : stack(candidates, target, ground);
}

async function bringOver(
  { layers, others, targetFails }: Stack,
  target: Target,
  ground: Ground,
  options: LandOptions,
): Promise<Result<LandReport>> {
  const to = layers.at(-1)?.commit ?? target.commit;
  const landed = (removed: ReadonlySet<string>): Landing[] =>
    layers.map(({ candidate: { name, owner, files }, commits }) => ({
      ...{ name, owner, status: 'landed', commits, files, removed: removed.has(name) },
    }));
  const report = { target: target.branch, from: target.commit };
  const nothing = { ...report, to: target.commit, landings: others };
  if (targetFails !== undefined)
    return ok({
      ...nothing,
      refusal: { reason: `the gate fails on ${target.branch} as it is:\n${targetFails}`, files: [] },
    });
  if (layers.length === 0) return ok(nothing);
  const plan: LandReport = { ...report, to, landings: [...landed(new Set()), ...others] };
  if (!(await options.agree(plan)))
    return ok({ ...nothing, refusal: { reason: 'it was not agreed to', files: [] } });
  const moved = await forward(target, to, ground);
  if (!moved.ok) return moved;
  if (moved.value) return ok({ ...nothing, refusal: moved.value });
  const removed = options.keep ? new Set<string>() : await removeLanded(layers, ground);
  return ok({ ...plan, landings: [...landed(removed), ...others] });
}

/** What came into a worktree while it was landed is not landed: it stays. */
async function removeLanded(layers: readonly Layer[], { world }: Ground): Promise<Set<string>> {
  const removed = new Set<string>();
  for (const { candidate } of layers) {
    const { record, tip } = candidate;
    const now = await snapshotTree(record.path, world);
    const then = await gitIn(world, record.path)(['rev-parse', `${tip}^{tree}`]);
    if (!now.ok || !then.ok || now.value !== then.value.trim()) continue;
    const gone = await discardWorktree(record, world);
    if (gone.ok && gone.value) removed.add(candidate.name);
  }
  return removed;
}
