import { holdFileLock } from '../lib/files/file-lock.ts';
import { failure, ok, type Problem, type Result } from '../lib/result.ts';
import { isInUse } from '../workspace/worktrees/record.ts';
import { removeWorktree } from '../workspace/worktrees/remove.ts';
import { type Candidate, findWorktrees, pickOwner, readCandidate, resolveTarget } from './candidates.ts';
import { checker } from './check.ts';
import { locateCheckout } from './checkouts.ts';
import { forward } from './forward.ts';
import { landingLock, recoverLanding } from './recover.ts';
import { type Layer, type Stack, stack, stackThatPasses, type Target } from './stack.ts';
import type { Ground, Landing, LandReport } from './types.ts';

export interface LandOptions {
  /** In this order; all of them, oldest first, unless named. */
  names?: readonly string[];
  onto?: string;
  /** Keeps the worktrees. */
  keep?: boolean;
  /** Called once everything is prepared and before any of the user's files is touched. */
  agree(plan: LandReport): Promise<boolean>;
  /** Cancels and cleans up, as long as none of the user's files has been touched. */
  signal?: AbortSignal;
}

const maxWaitMs = 10 * 60_000;

/**
 * Brings the work of worktrees to a branch: in order, each on top of those before it, checked by the project's gate, and then
 * in one step. Until that step nothing the user sees has changed; work that does not fit stays where it is.
 */
export async function land(ground: Ground, options: LandOptions): Promise<Result<LandReport>> {
  const { common } = ground.repository;
  const held = await holdFileLock(landingLock(common), ground.world.clock, maxWaitMs, options.signal);
  if (!held.ok) return held;
  try {
    const whole = await recoverLanding(common, ground.world);
    if (!whole.ok) return whole;
    const target = await resolveTarget(ground, options.onto);
    if (!target.ok) return target;
    // Checked first, so that no work is prepared and checked in vain.
    const movable = await locateCheckout(target.value.branch, ground);
    if (!movable.ok) return movable;
    const found = findWorktrees(ground, options.names);
    if (!found.ok) return found;
    const aside: Landing[] = [];
    const candidates: Candidate[] = [];
    for (const record of found.value) {
      const made = await readCandidate(record, ground);
      const about = { name: record.slug, owner: pickOwner(record) };
      const reason = made.ok ? obstacleTo(made.value, target.value) : explain(made.problem);
      if (isInUse(record)) aside.push({ ...about, status: 'busy' });
      else if (made.ok && reason === undefined) candidates.push(made.value);
      else aside.push({ ...about, status: 'failed', reason: reason ?? '' });
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

function obstacleTo({ obstacle, content, record }: Candidate, { branch }: Target): string | undefined {
  const isTarget = 'it is on the target branch';
  if (record.branch === branch) return isTarget;
  return obstacle ?? (content.on === branch ? isTarget : undefined);
}

function explain({ message, hint }: Problem): string {
  return [message, ...(hint === undefined ? [] : [hint])].join(' ');
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
  return failure('Landing was interrupted; nothing was landed.');
}

async function bringOver(
  { layers, empty, others, targetFails }: Stack,
  target: Target,
  ground: Ground,
  options: LandOptions,
): Promise<Result<LandReport>> {
  const to = layers.at(-1)?.commit ?? target.commit;
  const stays = [...empty.map((candidate) => emptyLanding(candidate)), ...others];
  const report = { target: target.branch, from: target.commit };
  const nothing = { ...report, to: target.commit, landings: stays };
  const refuse = (refusal: NonNullable<LandReport['refusal']>) => ok({ ...nothing, refusal });
  if (targetFails !== undefined)
    return refuse({ reason: `the gate already fails on ${target.branch}:\n${targetFails}`, files: [] });
  if (layers.length > 0) {
    const plan = {
      ...report,
      to,
      landings: [...layers.map((layer) => landedLanding(layer)), ...stays],
    };
    if (!(await options.agree(plan))) return refuse({ reason: 'it was not approved', files: [] });
    if (options.signal?.aborted) return interrupted();
    const moved = await forward(target, to, ground);
    if (!moved.ok) return moved;
    if (moved.value) return refuse(moved.value);
  }
  const done = [...layers.map(({ candidate }) => candidate), ...empty];
  const ends = options.keep ? new Map<Candidate, End>() : await removeLanded(done, target.branch, to, ground);
  const landings = [
    ...layers.map((layer) => landedLanding(layer, ends.get(layer.candidate))),
    ...empty.map((candidate) => emptyLanding(candidate, ends.get(candidate))),
    ...others,
  ];
  return ok({ ...report, to, landings });
}

/** The outcome for the worktree itself. */
interface End {
  removed: boolean;
  kept?: string;
}

const untouched: End = { removed: false };

function landedLanding({ candidate, commits, protected: touched }: Layer, end = untouched): Landing {
  const { name, owner, files } = candidate;
  return {
    name,
    owner,
    status: 'landed',
    commits,
    files,
    ...(touched.length > 0 ? { protected: touched } : {}),
    ...end,
  };
}

function emptyLanding({ name, owner }: Candidate, end = untouched): Landing {
  return { name, owner, status: 'empty', ...end };
}

/**
 * Changes made in a worktree during landing are not landed, so the worktree stays. It also stays if the user wants to keep
 * it.
 */
async function removeLanded(
  candidates: readonly Candidate[],
  branch: string,
  commit: string,
  { world }: Ground,
): Promise<Map<Candidate, End>> {
  const ends = new Map<Candidate, End>();
  for (const candidate of candidates) {
    const { record, content } = candidate;
    const removal = await removeWorktree(record, { kind: 'landed', content, branch, commit }, world);
    if (!removal.ok) ends.set(candidate, { removed: false, kept: explain(removal.problem) });
    else if (removal.value.removed) ends.set(candidate, { removed: true });
    else ends.set(candidate, { removed: false, kept: removal.value.reason });
  }
  return ends;
}
