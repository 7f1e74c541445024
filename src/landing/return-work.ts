import { ok, type Result, usage } from '../lib/result.ts';
import { formatIdentity } from '../workspace/worktrees/identity.ts';
import type { WorktreeRecord } from '../workspace/worktrees/record.ts';
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

/** What keeps a worktree from landing now; undefined if nothing does. Without the user's words the gate is asked too. */
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
  const { target, others } = plan.value;
  const landing = others.find(isOwnersBusiness);
  return ok(landing ? { landing, target: target.branch } : undefined);
}

/** The user's own files and a running agent are nothing that its agent could mend. */
export function isOwnersBusiness({ status }: Landing): boolean {
  return status === 'conflict' || status === 'gate' || status === 'failed';
}

/** The letter to the agent. */
export function composeReturn({ record, comment = '', hindrance }: ReturnedWork): Result<string> {
  const words = comment.trim();
  if (words === '' && !hindrance)
    return usage(
      `Nothing keeps ${record.slug} from landing, and there is no comment.`,
      `Say what should change: cadre worktree return ${formatIdentity(record)} "…"`,
    );
  const { landing, target = '' } = hindrance ?? {};
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
