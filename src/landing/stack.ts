import { ok, type Result } from '../lib/result.ts';
import { type Diffstat, diffstat } from '../workspace/worktrees/changes.ts';
import { findBlocking } from './blocked.ts';
import { type Candidate, describeRecord } from './candidates.ts';
import type { LandingCheck } from './check.ts';
import { explainObstacles, type LandingRefusal } from './moving/prepare.ts';
import { replay } from './replay.ts';
import type { Ground, Landing } from './types.ts';

export interface Target {
  branch: string;
  commit: string;
  /** The top of the checkout that has the branch, if one has. */
  top?: string | undefined;
}

/** One worktree's work, on top of all before it. */
export interface Layer {
  candidate: Candidate;
  commit: string;
  commits: number;
  /** What it changes there. */
  stat: Diffstat;
  /** Files in it that other programs run or read settings from. */
  protected: string[];
}

export interface Stack {
  layers: Layer[];
  /** Those whose work the target already has. */
  empty: Candidate[];
  /** Work that could not be put on it, and why. */
  others: Landing[];
  /** The gate fails even without any of it. */
  targetFails?: string;
}

/** One after the other onto the target. Work that does not fit is left out, and the rest continues without it. */
export async function stack(
  candidates: readonly Candidate[],
  target: Target,
  ground: Ground,
): Promise<Result<Stack>> {
  const layers: Layer[] = [];
  const others: Landing[] = [];
  const empty: Candidate[] = [];
  for (const candidate of candidates) {
    const onto = layers.at(-1)?.commit ?? target.commit;
    const put = await putOnTop(candidate, onto, target, ground);
    const about = describeRecord(candidate.record);
    if (!put.ok) others.push({ ...about, status: 'failed', reason: put.problem.message });
    else if (put.value === 'empty') empty.push(candidate);
    else if ('status' in put.value) others.push(put.value);
    else layers.push(put.value);
  }
  return ok({ layers, empty, others });
}

async function putOnTop(
  candidate: Candidate,
  onto: string,
  target: Target,
  ground: Ground,
): Promise<Result<Layer | Landing | 'empty'>> {
  const replayed = await replay(candidate, onto, target, ground);
  if (!replayed.ok) return replayed;
  const about = describeRecord(candidate.record);
  if (replayed.value.kind === 'empty') return ok('empty');
  if (replayed.value.kind === 'conflict') {
    const { kind: status, ...conflict } = replayed.value;
    return ok({ ...about, status, ...conflict });
  }
  const { commit, commits, protected: touched } = replayed.value;
  const reason = touched.length > 0 ? ground.refuseProtected?.(touched, candidate.name) : undefined;
  if (reason !== undefined) return ok({ ...about, status: 'failed', reason });
  const refusal = await whyBlocked({ from: target.commit, to: commit, since: onto }, target, ground);
  if (!refusal.ok) return refusal;
  if (refusal.value) return ok({ ...about, status: 'blocked', ...refusal.value });
  const stat = await diffstat(onto, commit, ground.repository.top, ground.world);
  return stat.ok ? ok({ candidate, commit, commits, stat: stat.value, protected: touched }) : stat;
}

/** Each for itself: a file that the user is at work on keeps only those from landing that change it. */
async function whyBlocked(
  piece: { from: string; to: string; since: string },
  { top }: Target,
  ground: Ground,
): Promise<Result<LandingRefusal | undefined>> {
  const blocking = await findBlocking(piece, top, ground);
  return blocking.ok ? ok(explainObstacles(top ?? '', blocking.value)) : blocking;
}

/** Of a stack that was agreed to: which of it the user's files keep from landing now, as far as that can be told. */
export async function findBlocked(
  layers: readonly Layer[],
  target: Target,
  ground: Ground,
): Promise<Map<Layer, LandingRefusal>> {
  const blocked = new Map<Layer, LandingRefusal>();
  for (const [index, layer] of layers.entries()) {
    const since = layers[index - 1]?.commit ?? target.commit;
    const refusal = await whyBlocked({ from: target.commit, to: layer.commit, since }, target, ground);
    if (refusal.ok && refusal.value) blocked.set(layer, refusal.value);
  }
  return blocked;
}

/** The same with the gate: as long as the whole does not pass, the first that breaks it is found and left out. */
export async function stackThatPasses(
  candidates: readonly Candidate[],
  target: Target,
  ground: Ground,
  check: LandingCheck,
): Promise<Result<Stack>> {
  const broken: Landing[] = [];
  let left = [...candidates];
  for (;;) {
    const stacked = await stack(left, target, ground);
    if (!stacked.ok) return stacked;
    const { layers, empty, others } = stacked.value;
    const top = layers.at(-1);
    if (!top) return ok({ layers, empty, others: [...others, ...broken] });
    const whole = await check(top.commit);
    if (!whole.ok) return whole;
    if (whole.value.passed) return ok({ layers, empty, others: [...others, ...broken] });
    const before = await check(target.commit);
    if (!before.ok) return before;
    if (!before.value.passed) {
      const alone = await judgeAlone(candidates, target.commit, target, ground);
      return ok({ layers: [], ...alone, targetFails: before.value.output });
    }
    const found = await firstBroken(layers, check);
    if (!found.ok) return found;
    const { candidate, output } = found.value;
    broken.push({ ...describeRecord(candidate.record), status: 'gate', output });
    left = left.filter((one) => one !== candidate);
  }
}

/** Each by itself on a commit, where none of them lands: what would conflict only with another that did not land waits. */
export async function judgeAlone(
  candidates: readonly Candidate[],
  onto: string,
  target: Target,
  ground: Ground,
): Promise<Pick<Stack, 'empty' | 'others'>> {
  const empty: Candidate[] = [];
  const others: Landing[] = [];
  for (const candidate of candidates) {
    const put = await putOnTop(candidate, onto, target, ground);
    const about = describeRecord(candidate.record);
    if (!put.ok) others.push({ ...about, status: 'failed', reason: put.problem.message });
    else if (put.value === 'empty') empty.push(candidate);
    else others.push('status' in put.value ? put.value : { ...about, status: 'waiting' });
  }
  return { empty, others };
}

/** Binary search: `passes` passes, `fails` does not. */
async function firstBroken(
  layers: readonly Layer[],
  check: LandingCheck,
): Promise<Result<{ candidate: Candidate; output: string }>> {
  let passes = -1;
  let fails = layers.length - 1;
  while (fails - passes > 1) {
    const middle = Math.floor((passes + fails) / 2);
    const checked = await check(layers[middle]?.commit ?? '');
    if (!checked.ok) return checked;
    if (checked.value.passed) passes = middle;
    else fails = middle;
  }
  const layer = layers[fails] as Layer;
  const checked = await check(layer.commit);
  return checked.ok ? ok({ candidate: layer.candidate, output: checked.value.output }) : checked;
}
