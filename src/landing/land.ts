import { holdFileLock } from '../lib/file-lock.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import { snapshotTree } from '../workspace/worktree-changes.ts';
import { discardWorktree } from '../workspace/worktree-remove.ts';
import { gitIn } from '../workspace/worktree-repository.ts';
import { type Candidate, candidateOf, findWorktrees, ownerOf, targetOf } from './candidates.ts';
import { checker } from './check.ts';
import { forward } from './forward.ts';
import { landingLock, recoverLanding } from './recover.ts';
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
  /** Gives up, and clears up, as long as nothing of the user's has been touched. */
  signal?: AbortSignal;
}

const longestWaitMs = 10 * 60_000;

/**
 * Brings the work of worktrees to a branch: in order, each on top of those before it, checked by the project's gate, and
 * then in one step. Until that step nothing that the user sees has changed; what does not fit stays where it is.
 */
export async function land(ground: Ground, options: LandOptions): Promise<Result<LandReport>> {
  const { common } = ground.repository;
  const held = await holdFileLock(landingLock(common), ground.world.clock, longestWaitMs, options.signal);
  if (!held.ok) return held;
  try {
    const whole = await recoverLanding(common, ground.world);
    if (!whole.ok) return whole;
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
    const stacked = await stackUp(candidates, target.value, ground, options.signal);
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

function stackUp(
  candidates: readonly Candidate[],
  target: Target,
  ground: Ground,
  signal: AbortSignal | undefined,
): Promise<Result<Stack>> {
  const { gate } = ground;
  if (!gate) return stack(candidates, target, ground);
  const check = checker({ ...gate, run: (cwd) => gate.run(cwd, signal) }, ground);
  return stackThatPasses(candidates, target, ground, async (commit) => {
    if (signal?.aborted) return interrupted();
    const checked = await check(commit);
    return signal?.aborted ? interrupted() : checked;
  });
}

function interrupted(): Result<never> {
  return failure('It was interrupted; nothing was landed.');
}

async function bringOver(
  { layers, empty, others, targetFails }: Stack,
  target: Target,
  ground: Ground,
  options: LandOptions,
): Promise<Result<LandReport>> {
  const to = layers.at(-1)?.commit ?? target.commit;
  const stays = [...empty.map((candidate) => emptyLanding(candidate, false)), ...others];
  const report = { target: target.branch, from: target.commit };
  const nothing = { ...report, to: target.commit, landings: stays };
  const refuse = (reason: string, files: string[] = []) => ok({ ...nothing, refusal: { reason, files } });
  if (targetFails !== undefined)
    return refuse(`the gate fails on ${target.branch} as it is:\n${targetFails}`);
  if (layers.length > 0) {
    const plan = {
      ...report,
      to,
      landings: [...layers.map((layer) => landedLanding(layer, false)), ...stays],
    };
    if (!(await options.agree(plan))) return refuse('it was not agreed to');
    if (options.signal?.aborted) return interrupted();
    const moved = await forward(target, to, ground);
    if (!moved.ok) return moved;
    if (moved.value) return refuse(moved.value.reason, moved.value.files);
  }
  const done = [...layers.map(({ candidate }) => candidate), ...empty];
  const removed = options.keep ? new Set<Candidate>() : await removeLanded(done, ground);
  const landings = [
    ...layers.map((layer) => landedLanding(layer, removed.has(layer.candidate))),
    ...empty.map((candidate) => emptyLanding(candidate, removed.has(candidate))),
    ...others,
  ];
  return ok({ ...report, to, landings });
}

function landedLanding({ candidate: { name, owner, files }, commits }: Layer, removed: boolean): Landing {
  return { name, owner, status: 'landed', commits, files, removed };
}

function emptyLanding({ name, owner }: Candidate, removed: boolean): Landing {
  return { name, owner, status: 'empty', removed };
}

/** What came into a worktree while it was landed is not landed: it stays. So does what the user wants to keep. */
async function removeLanded(candidates: readonly Candidate[], { world }: Ground): Promise<Set<Candidate>> {
  const removed = new Set<Candidate>();
  for (const candidate of candidates) {
    const { record, tip } = candidate;
    if (record.keep) continue;
    const now = await snapshotTree(record.path, world);
    const then = await gitIn(world, record.path)(['rev-parse', `${tip}^{tree}`]);
    if (!now.ok || !then.ok || now.value !== then.value.trim()) continue;
    const gone = await discardWorktree(record, world);
    if (gone.ok && gone.value) removed.add(candidate);
  }
  return removed;
}
