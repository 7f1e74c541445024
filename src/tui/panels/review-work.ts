import { announceGate } from '../../landing/announce-gate.ts';
import { findWorktrees } from '../../landing/candidates.ts';
import { diffWorktree, drop, planDrop } from '../../landing/drop.ts';
import { carryOutLanding, prepareLanding } from '../../landing/land.ts';
import { nameOwner, renderDropped, renderReport, renderToDrop } from '../../landing/render.ts';
import { renderPlan } from '../../landing/render-plan.ts';
import { composeReturn, findHindrance } from '../../landing/return-work.ts';
import type { Ground } from '../../landing/types.ts';
import { ok, type Problem, type Result } from '../../lib/result.ts';
import type { ShownSession } from '../../session/attached/shown-session.ts';
import type { WorktreeRecord } from '../../workspace/worktrees/record.ts';
import type { Panel, PickRow } from '../state.ts';
import { readPatch } from './review.ts';

type ReviewPanel = Extract<Panel, { kind: 'review' }>;

/** This session's worktrees. */
export async function listReviews(session: ShownSession): Promise<Result<PickRow[]>> {
  const ground = await session.reviewGround();
  const found = ground.ok ? findWorktrees(ground.value) : ground;
  if (!found.ok) return found;
  return ok(
    found.value.map((record) => ({
      value: record.slug,
      label: `${record.slug}  ${record.title ?? ''}`,
      note: nameRecordOwner(record),
    })),
  );
}

/** The work in a worktree, by its name or its agent's id. */
export async function readReview(session: ShownSession, word: string): Promise<Result<ReviewPanel>> {
  const ground = await session.reviewGround();
  const found = ground.ok ? findWorktrees(ground.value, [word]) : ground;
  if (!found.ok || !ground.ok) return found as Result<never>;
  const [record] = found.value as [WorktreeRecord];
  const diff = await diffWorktree(ground.value, record);
  if (!diff.ok) return diff;
  const text = diff.value.trim() === '' ? 'It has no changes.' : diff.value;
  const title = `${record.slug} (${nameRecordOwner(record)}) ${record.title ?? ''}`;
  const { slug: name, agentId } = record;
  return ok({ kind: 'review', name, agentId, title, lines: readPatch(text), down: 0 });
}

/** What a yes would do, and how. */
export interface Prepared {
  text: string;
  carry(): Promise<{ text: string; isGone?: true }>;
}

export async function prepareAct(
  session: ShownSession,
  act: 'land' | 'drop',
  name: string,
  report: (text: string) => void,
): Promise<Result<Prepared | string>> {
  const ground = await session.reviewGround();
  if (!ground.ok) return ground;
  return act === 'land'
    ? prepareLand(announceGate(ground.value, report), name)
    : prepareDrop(ground.value, name);
}

async function prepareLand(ground: Ground, name: string): Promise<Result<Prepared | string>> {
  const plan = await prepareLanding(ground, { names: [name] });
  if (!plan.ok) return plan;
  const { layers, empty, targetFails } = plan.value;
  const text = renderPlan(plan.value);
  if (targetFails !== undefined)
    return ok(`The gate already fails on ${plan.value.target.branch}:\n${targetFails}`);
  if (layers.length === 0 && empty.length === 0) return ok(`Nothing can land.\n${text}`);
  return ok({
    text,
    async carry() {
      const landed = await carryOutLanding(plan.value, ground, {});
      if (!landed.ok) return { text: explain(landed.problem) };
      const isGone = landed.value.landings.some((one) => 'removed' in one && one.removed);
      return { text: renderReport(landed.value), ...(isGone ? { isGone } : {}) };
    },
  });
}

async function prepareDrop(ground: Ground, name: string): Promise<Result<Prepared>> {
  const plan = await planDrop(ground, [name]);
  if (!plan.ok) return plan;
  return ok({
    text: `Removed for good, with all that is in it:\n${renderToDrop(plan.value)}`,
    async carry() {
      const dropped = await drop(ground, plan.value);
      const isGone = dropped.every((one) => one.dropped);
      return { text: renderDropped(dropped), ...(isGone ? { isGone } : {}) };
    },
  });
}

/** With the user's words, and with what keeps it from landing; without words the gate is asked as well. */
export async function sendBack(
  session: ShownSession,
  { name, agentId }: ReviewPanel,
  comment: string,
  report: (text: string) => void,
): Promise<string> {
  const ground = await session.reviewGround();
  const found = ground.ok ? findWorktrees(ground.value, [name]) : ground;
  if (!found.ok || !ground.ok) return found.ok ? '' : explain(found.problem);
  const announced = announceGate(ground.value, report);
  const [record] = found.value as [WorktreeRecord];
  const isSilent = comment.trim() === '';
  const hindrance = await findHindrance(announced, record, { withGate: isSilent });
  if (!hindrance.ok && isSilent) return explain(hindrance.problem);
  const letter = composeReturn({ record, comment, hindrance: hindrance.ok ? hindrance.value : undefined });
  if (!letter.ok) return explain(letter.problem);
  const sent = await session.messageAgent(agentId ?? '', letter.value);
  return sent.ok ? sent.value : explain(sent.problem);
}

function nameRecordOwner({ agentId, agentName }: WorktreeRecord): string {
  return nameOwner({ agentId, ...(agentName === undefined ? {} : { name: agentName }) });
}

function explain({ message, hint = '' }: Problem): string {
  return `${message} ${hint}`.trim();
}
