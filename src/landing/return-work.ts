import { ok, type Result, usage } from '../lib/result.ts';
import { formatIdentity } from '../workspace/worktrees/identity.ts';
import type { WorktreeRecord } from '../workspace/worktrees/record.ts';
import { nameFiles } from '../workspace/worktrees/words.ts';
import { prepareLanding } from './land.ts';
import { renderLanding } from './render.ts';
import type { Ground, Landing } from './types.ts';

/** Work that goes back to the agent that did it. */
export interface ReturnedWork {
  record: WorktreeRecord;
  /** The user's words. */
  comment?: string | undefined;
  /** What kept it from landing on a branch. */
  hindrance?: { landing: Landing; target: string } | undefined;
}

/**
 * The reasons that keep a worktree from landing now, its agent's or the user's; undefined if nothing does. Without the user's words the
 * gate is asked too.
 */
export async function findHindrance(
  ground: Ground,
  record: WorktreeRecord,
  options: { onto?: string | undefined; withGate: boolean; signal?: AbortSignal | undefined },
): Promise<Result<ReturnedWork['hindrance']>> {
  const { gate: _, ...without } = ground;
  const { onto, signal, withGate } = options;
  const names = [formatIdentity(record)];
  const plan = await prepareLanding(withGate ? ground : without, { names, onto, signal, isAgreed: true });
  if (!plan.ok) return plan;
  const { target, others, targetFails } = plan.value;
  const [landing] = others;
  if (targetFails !== undefined && landing?.status === 'waiting')
    return usage(
      `${record.slug} does not land, but its agent can do nothing about it: the gate already fails on ${target.branch}:\n${targetFails}`,
      sayWhat(record),
    );
  return ok(landing ? { landing, target: target.branch } : undefined);
}

/** The user's own files and a running agent are nothing that its agent could fix. */
export function isOwnersBusiness(landing: Landing): boolean {
  const { status } = landing;
  return status === 'conflict' ? landing.with === undefined : status === 'gate' || status === 'failed';
}

/** The letter to the agent. */
export function composeReturn({ record, comment = '', hindrance }: ReturnedWork): Result<string> {
  const words = comment.trim();
  const isOwners = hindrance !== undefined && isOwnersBusiness(hindrance.landing);
  if (words === '' && !isOwners) return refuseSilent(record, hindrance);
  const { landing, target = '' } = isOwners ? hindrance : {};
  const parts = [
    `The user has reviewed your work in the worktree ${record.slug} and returns it to you. It has not landed.`,
    ...(words === '' ? [] : [words]),
    ...(landing ? [`It cannot land on ${target} as it is:\n${renderLanding(landing, target)}`] : []),
    ...(landing?.status === 'conflict'
      ? [`Merge ${target} into your branch, resolve the conflict and commit.`]
      : []),
    'Continue in the same worktree, leave your changes there, and report what you changed.',
  ];
  return ok(parts.join('\n\n'));
}

function sayWhat(record: WorktreeRecord): string {
  return `Say what should change: cadre worktree return ${formatIdentity(record)} "…"`;
}

function refuseSilent(record: WorktreeRecord, hindrance: ReturnedWork['hindrance']): Result<never> {
  const { slug } = record;
  const say = sayWhat(record);
  const reason = hindrance && describeUsersBusiness(hindrance.landing);
  if (reason !== undefined)
    return usage(`${slug} does not land, but its agent can do nothing about it: ${reason}`, say);
  return usage(
    hindrance
      ? `The agent of ${slug} is working in it, and there is no comment.`
      : `Nothing keeps ${slug} from landing, and there is no comment.`,
    say,
  );
}

function describeUsersBusiness(landing: Landing): string | undefined {
  if (landing.status === 'blocked')
    return `${landing.reason}: ${nameFiles(landing.files)}. ${landing.hint ?? ''}`.trim();
  if (landing.status !== 'conflict') return undefined;
  const files = nameFiles(landing.conflicts.map(({ path }) => path));
  return `it conflicts with ${landing.with}: ${files}. Commit them, then land again.`;
}
