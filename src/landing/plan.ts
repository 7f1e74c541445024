import { failure, ok, type Problem, type Result, usage } from '../lib/result.ts';
import { isInUse } from '../workspace/worktrees/in-use.ts';
import { listRecords } from '../workspace/worktrees/record.ts';
import { type Candidate, describeRecord, findWorktrees, readCandidate, resolveTarget } from './candidates.ts';
import { checker, type LandingCheck } from './check.ts';
import { locateCheckout } from './checkouts.ts';
import { type Stack, stack, stackThatPasses, type Target } from './stack.ts';
import type { Gate, Ground, Landing } from './types.ts';
import { verifyLayers } from './verify-layers.ts';
import { openReports } from './work-message.ts';

/** Exactly what a landing would do: the commits are made already, and a yes is for these and no others. */
export interface LandingPlan extends Stack {
  target: Target;
  /** All that could be tried on it, in order: those of `layers` and `empty`, and of `others` those that did not fit. */
  tried: readonly Candidate[];
  /** The commit that the target would be at. */
  to: string;
  /** Undefined without one. `later`: it has not run yet, since it would run an agent's work before anybody has agreed. */
  gate?: { command: string; state: 'passed' | 'later' };
}

export interface PlanOptions {
  /** In this order; all of them, in the order they were started, unless named. */
  names?: readonly string[] | undefined;
  onto?: string | undefined;
  /** Cancels and cleans up. */
  signal?: AbortSignal | undefined;
  /** A gate outside of a sandbox is left for later, unless the user asked for it. */
  isUnasked?: boolean;
  isAgreed?: boolean;
}

/** Prepares a landing in the object store; nothing that the user sees changes. The caller holds the landing lock. */
export async function planLanding(asked: Ground, options: PlanOptions): Promise<Result<LandingPlan>> {
  const ground = { ...asked, findReport: openReports(asked.world.home) };
  const target = await findTarget(ground, options.onto);
  if (!target.ok) return target;
  const found = findWorktrees(ground, options.names);
  if (!found.ok) return found;
  const aside: Landing[] = [];
  const candidates: Candidate[] = [];
  for (const record of found.value) {
    const about = describeRecord(record);
    if (isInUse(record, ground.world.home)) {
      aside.push({ ...about, status: 'busy' });
      continue;
    }
    const made = await readCandidate(record, ground, target.value.commit);
    const reason = made.ok ? obstacleTo(made.value, target.value) : explainProblem(made.problem);
    if (made.ok && reason === undefined) candidates.push(made.value);
    else aside.push({ ...about, status: 'failed', reason: reason ?? '' });
  }
  const gate =
    ground.gate && (!options.isUnasked || (await ground.gate.isConfined())) ? ground.gate : undefined;
  const stacked = gate
    ? await stackThatPasses(candidates, target.value, ground, openCheck(gate, ground, options.signal))
    : await stack(candidates, target.value, ground);
  if (!stacked.ok) return stacked;
  ground.world.step?.('stacked');
  const { layers, others } = stacked.value;
  const verified = await verifyLayers(layers, target.value, ground);
  if (!verified.ok) return verified;
  return ok({
    ...stacked.value,
    others: [...aside, ...others],
    target: target.value,
    tried: candidates,
    to: layers.at(-1)?.commit ?? target.value.commit,
    ...(ground.gate ? { gate: { command: ground.gate.command, state: gate ? 'passed' : 'later' } } : {}),
  });
}

/** Found first, so that no work is prepared and checked in vain. */
async function findTarget(ground: Ground, onto: string | undefined): Promise<Result<Target>> {
  const inside = onto === undefined ? findOwnWorktree(ground) : undefined;
  if (inside !== undefined)
    return usage(
      `This is Cadre's worktree ${inside}. Its own work has to be landed; nothing can land in it.`,
      ground.session === undefined
        ? `Run this in ${ground.repository.main}, or name the branch to land on with --onto.`
        : `It can be landed from ${ground.repository.main}: report what is done here.`,
    );
  const target = await resolveTarget(ground, onto);
  if (!target.ok) return target;
  const top = await locateCheckout(target.value.branch, ground);
  return top.ok ? ok({ ...target.value, top: top.value }) : top;
}

/** The name of the worktree that landing was asked for in. A session that works in one lands there what its agents did. */
function findOwnWorktree({ repository: { top, common }, world, session }: Ground): string | undefined {
  const found = listRecords(world.home, common).find(({ path }) => path === top);
  const isSessions = found?.agentId === null && found.session === session;
  return isSessions ? undefined : found?.slug;
}

function obstacleTo({ obstacle, content, record }: Candidate, { branch }: Target): string | undefined {
  const isTarget = 'it is on the target branch';
  if (record.branch === branch) return isTarget;
  return obstacle ?? (content.on === branch ? isTarget : undefined);
}

export function explainProblem({ message, hint }: Problem): string {
  return [message, ...(hint === undefined ? [] : [hint])].join(' ');
}

/** Runs the gate, and says when it was cancelled. */
export function openCheck(gate: Gate, ground: Ground, signal: AbortSignal | undefined): LandingCheck {
  const check = checker({ ...gate, run: (cwd) => gate.run(cwd, signal) }, ground);
  return async (commit) => {
    if (signal?.aborted) return interrupted();
    const checked = await check(commit);
    return signal?.aborted ? interrupted() : checked;
  };
}

export function interrupted(): Result<never> {
  return failure('Landing was interrupted; nothing was landed.');
}
