import { ok, type Result, usage } from '../lib/result.ts';
import { countHoldings, describeHoldings } from '../workspace/worktrees/holdings.ts';
import type { ShownContent } from '../workspace/worktrees/permit.ts';
import type { WorktreeRecord } from '../workspace/worktrees/record.ts';
import { removeWorktree } from '../workspace/worktrees/remove.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import { describeRecord, findWorktrees, readCandidate } from './candidates.ts';
import { lookOnly } from './look-only.ts';
import type { About, Ground } from './types.ts';

export interface Dropped {
  name: string;
  dropped: boolean;
  reason?: string;
}

/** One worktree that is to be dropped, and what goes with it. */
export interface ToDrop extends About {
  record: WorktreeRecord;
  holds: string;
  /** Whether it has any work. */
  isEmpty: boolean;
  /** Undefined where it cannot be read. */
  content: ShownContent | undefined;
}

/** Everything that dropping would remove, for the approval question. */
export async function planDrop(ground: Ground, names: readonly string[]): Promise<Result<ToDrop[]>> {
  if (names.length === 0) return usage('Name the worktrees to drop.');
  const found = findWorktrees(ground, names);
  if (!found.ok) return found;
  return lookOnly(ground, async ({ world }) => {
    const plan: ToDrop[] = [];
    for (const record of found.value) {
      const held = await countHoldings(record, world);
      const isEmpty = held.files === 0 && held.commits === 0 && held.also.length === 0;
      const holds = describeHoldings(held);
      plan.push({ ...describeRecord(record), record, holds, isEmpty, content: held.content });
    }
    return ok(plan);
  });
}

/**
 * Removes worktrees with everything in them: what was found when they were looked at, and no more. The caller has asked for
 * approval. A worktree in use stays.
 */
export async function drop(ground: Ground, plan: readonly ToDrop[]): Promise<Dropped[]> {
  const dropped: Dropped[] = [];
  for (const one of plan) dropped.push(await dropOne(one, ground));
  return dropped;
}

async function dropOne({ record, content }: ToDrop, { world }: Ground): Promise<Dropped> {
  const name = record.slug;
  // The approval is for the worktree as it was found, not for one that is in use.
  const permit = { kind: 'told' as const, ...(content ? { shown: content } : {}) };
  const removal = await removeWorktree({ ...record, owner: null }, permit, world);
  if (!removal.ok) return { name, dropped: false, reason: removal.problem.message };
  return removal.value.removed
    ? { name, dropped: true }
    : { name, dropped: false, reason: removal.value.reason };
}

/** All changes in a worktree, as a patch. */
export function diffWorktree(ground: Ground, record: WorktreeRecord, stat = false): Promise<Result<string>> {
  return lookOnly(ground, async (looking) => {
    const candidate = await readCandidate(record, looking);
    if (!candidate.ok) return candidate;
    const { start, tip } = candidate.value;
    const flags = stat ? ['--stat'] : [];
    const git = bindGit(looking.world, record.path);
    return git(['diff', '--no-color', ...flags, start, tip, '--'], { plainNames: true });
  });
}
