import { holdFileLock } from '../lib/files/file-lock.ts';
import { ok, type Result } from '../lib/result.ts';
import { noteLanded } from '../workspace/worktrees/landed-part.ts';
import { readRecord } from '../workspace/worktrees/record.ts';
import { removeWorktree } from '../workspace/worktrees/remove.ts';
import { type Candidate, describeRecord, hasWork } from './candidates.ts';
import { forward } from './moving/forward.ts';
import type { LandingRefusal } from './moving/prepare.ts';
import { landingLock, recoverLanding } from './moving/recover.ts';
import {
  explainProblem,
  interrupted,
  type LandingPlan,
  openCheck,
  type PlanOptions,
  planLanding,
} from './plan.ts';
import { findBlocked, judgeAlone, type Layer, type Stack, stackThatPasses } from './stack.ts';
import { findSubmodulesBehind } from './submodules-behind.ts';
import type { About, Ground, Landing, LandReport } from './types.ts';

export interface CarryOptions {
  /** Keeps the worktrees. */
  keep?: boolean | undefined;
  /** Cancels and cleans up, as long as none of the user's files has been touched. */
  signal?: AbortSignal | undefined;
}

export interface LandOptions extends PlanOptions, CarryOptions {
  /** Called once everything is prepared and before any of the user's files is touched. */
  agree(plan: LandingPlan): Promise<boolean>;
}

const maxWaitMs = 10 * 60_000;

/**
 * Brings the work of worktrees to a branch: in order, each on top of those before it, checked by the project's gate, and then
 * in one step. Until that step nothing the user sees has changed; work that does not fit stays where it is.
 */
export async function land(ground: Ground, options: LandOptions): Promise<Result<LandReport>> {
  return holdLanding(ground, options.signal, async () => {
    const plan = await planLanding(ground, options);
    if (!plan.ok) return plan;
    if (plan.value.layers.length > 0 && !(await options.agree(plan.value)))
      return ok(refuse(plan.value, { reason: 'it was not approved', files: [] }));
    return bringOver(plan.value, ground, options);
  });
}

/** The plan alone, for a question that may stay open for long: others can land meanwhile. */
export function prepareLanding(ground: Ground, options: PlanOptions): Promise<Result<LandingPlan>> {
  return holdLanding(ground, options.signal, () =>
    planLanding(ground, { ...options, isUnasked: !options.isAgreed }),
  );
}

/** Does what was planned and agreed to, and nothing that came since. */
export function carryOutLanding(
  plan: LandingPlan,
  ground: Ground,
  options: CarryOptions,
): Promise<Result<LandReport>> {
  return holdLanding(ground, options.signal, async () => {
    const gone = plan.layers.find(({ candidate: { record } }) => {
      const now = readRecord(ground.world.home, record.common, record.slug);
      return now?.createdAt !== record.createdAt;
    });
    if (gone) {
      const layers = plan.layers.filter((layer) => layer !== gone);
      return ok(
        refuse(
          { ...plan, layers },
          {
            reason: `the worktree ${gone.candidate.name} was removed since the question was asked`,
            files: [],
            hint: 'Land again.',
          },
        ),
      );
    }
    return bringOver(plan, ground, options);
  });
}

async function holdLanding<T>(
  { repository: { common }, world }: Ground,
  signal: AbortSignal | undefined,
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const held = await holdFileLock(landingLock(common), world.clock, { waitMs: maxWaitMs, signal });
  if (!held.ok) return held;
  try {
    const whole = await recoverLanding(common, world);
    return whole.ok ? await work() : whole;
  } finally {
    held.value();
  }
}

async function bringOver(
  planned: LandingPlan,
  ground: Ground,
  options: CarryOptions,
): Promise<Result<LandReport>> {
  const passed = await passGate(planned, ground, options.signal);
  if (!passed.ok) return passed;
  const plan = passed.value;
  const { target, layers, empty, others, targetFails } = plan;
  if (targetFails !== undefined)
    return ok(
      refuse(plan, { reason: `the gate already fails on ${target.branch}:\n${targetFails}`, files: [] }),
    );
  if (layers.length > 0) {
    if (options.signal?.aborted) return interrupted();
    const noted = await noteLanding(layers, ground);
    if (!noted.ok) return noted;
    const moved = await forward(target, plan.to, ground);
    if (!moved.ok) return moved;
    if (moved.value) return ok(refuse(plan, moved.value, await findBlocked(layers, target, ground)));
  }
  const behind = await findSubmodulesBehind(
    { top: target.top, from: target.commit, to: plan.to },
    ground.world,
  );
  const done = [...layers.map(({ candidate }) => candidate), ...empty];
  const ends = options.keep
    ? new Map<Candidate, End>()
    : await removeLanded(done, target.branch, plan.to, ground);
  await noteStaying(layers, ends, ground);
  const landings = [
    ...layers.map((layer) => landedLanding(layer, ends.get(layer.candidate))),
    ...empty.map((candidate) => emptyLanding(candidate, ends.get(candidate))),
    ...others,
  ];
  const { branch, commit: from, top } = target;
  const submodules = behind.length > 0 ? { submodules: behind, top } : {};
  return ok({ target: branch, from, to: plan.to, landings, ...submodules });
}

/** Of a plan whose gate was left for later: what passes it. That is all of the plan, or less, and never more. */
async function passGate(
  plan: LandingPlan,
  ground: Ground,
  signal: AbortSignal | undefined,
): Promise<Result<LandingPlan>> {
  if (!ground.gate || plan.gate?.state !== 'later' || plan.layers.length === 0) return ok(plan);
  const check = openCheck(ground.gate, ground, signal);
  const whole = await check(plan.to);
  if (!whole.ok) return whole;
  if (whole.value.passed) return ok(plan);
  const candidates = plan.layers.map(({ candidate }) => candidate);
  const stacked = await stackThatPasses(candidates, plan.target, ground, check);
  if (!stacked.ok) return stacked;
  const { layers, empty, others }: Stack = stacked.value;
  const to = layers.at(-1)?.commit ?? plan.target.commit;
  const again = await judgeConflicts(plan, to, ground);
  return ok({
    ...plan,
    ...stacked.value,
    to,
    empty: [...plan.empty, ...empty, ...again.empty],
    others: [...again.others, ...others],
  });
}

/** What conflicted may have conflicted only with work that does not land now. It was not agreed to, so it waits. */
async function judgeConflicts(
  { tried, target, others }: LandingPlan,
  onto: string,
  ground: Ground,
): Promise<Pick<Stack, 'empty' | 'others'>> {
  const conflicting = new Set(others.flatMap(({ name, status }) => (status === 'conflict' ? [name] : [])));
  const candidates = tried.filter(({ name }) => conflicting.has(name));
  const judged = await judgeAlone(candidates, onto, target, ground);
  return { ...judged, others: [...others.filter(({ name }) => !conflicting.has(name)), ...judged.others] };
}

/**
 * One line for each: what could have landed waits, or is blocked by files that the user has changed since, and all the rest waits too where what
 * was found is out of date.
 */
function refuse(
  { target, layers, empty, others }: LandingPlan,
  { isMoved, ...refusal }: LandingRefusal,
  blocked: ReadonlyMap<Layer, LandingRefusal> = new Map(),
): LandReport {
  const wait = (about: About): Landing => ({ ...pickAbout(about), status: 'waiting' });
  const landings = [
    ...layers.map((layer): Landing => {
      const by = isMoved ? undefined : blocked.get(layer);
      return by ? { ...pickAbout(layer.candidate), status: 'blocked', ...by } : wait(layer.candidate);
    }),
    ...empty.map((candidate) => (isMoved ? wait(candidate) : emptyLanding(candidate))),
    ...others.map((other) => (isMoved && other.status !== 'busy' ? wait(other) : other)),
  ];
  return { target: target.branch, from: target.commit, to: target.commit, landings, refusal };
}

function pickAbout({ name, owner, session, createdAt }: About): About {
  return { name, owner, session, createdAt };
}

/** The outcome for the worktree itself. */
interface End {
  removed: boolean;
  kept?: string;
}

const untouched: End = { removed: false };

function landedLanding({ candidate, commits, stat, protected: touched }: Layer, end = untouched): Landing {
  return {
    ...describeRecord(candidate.record),
    status: 'landed',
    commits,
    files: stat.files.map(({ path }) => path),
    ...(touched.length > 0 ? { protected: touched } : {}),
    ...end,
  };
}

function emptyLanding(candidate: Candidate, end = untouched): Landing {
  const there = hasWork(candidate) ? { isThere: true as const } : {};
  return { ...describeRecord(candidate.record), status: 'empty', ...there, ...end };
}

/** What is done in those that stay is on top of what has landed. Without the note it may conflict with that. */
async function noteStaying(
  layers: readonly Layer[],
  ends: ReadonlyMap<Candidate, End>,
  { world }: Ground,
): Promise<void> {
  for (const { candidate, commit } of layers) {
    const { record, content, tip } = candidate;
    if (ends.get(candidate)?.removed) continue;
    await noteLanded(record, { landed: { head: content.head, tip, commit }, landing: undefined }, world);
  }
}

/** Before the branch is moved: if the process is killed after that, the next landing does not take what landed for work. */
async function noteLanding(layers: readonly Layer[], { world }: Ground): Promise<Result<void>> {
  for (const { candidate, commit } of layers) {
    const { record, content, tip } = candidate;
    const noted = await noteLanded(record, { landing: { head: content.head, tip, commit } }, world);
    if (!noted.ok) return noted;
  }
  return ok(undefined);
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
    if (!removal.ok) ends.set(candidate, { removed: false, kept: explainProblem(removal.problem) });
    else if (removal.value.removed) ends.set(candidate, { removed: true });
    else ends.set(candidate, { removed: false, kept: removal.value.reason });
  }
  return ends;
}
