import { ok, type Result } from '../lib/result.ts';
import { countHoldings, describeHoldings } from '../workspace/worktrees/holdings.ts';
import type { WorktreeRecord } from '../workspace/worktrees/record.ts';
import { removeWorktree } from '../workspace/worktrees/remove.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import { findWorktrees, pickOwner, readCandidate } from './candidates.ts';
import { lookOnly } from './look-only.ts';
import type { Ground, Owner } from './types.ts';

export interface Dropped {
  name: string;
  dropped: boolean;
  reason?: string;
}

/** Removes worktrees with everything in them. The caller has asked for approval. A worktree in use stays. */
export async function drop(ground: Ground, names: readonly string[]): Promise<Result<Dropped[]>> {
  const found = findWorktrees(ground, names);
  if (!found.ok) return found;
  const dropped: Dropped[] = [];
  for (const record of found.value) dropped.push(await dropOne(record, ground));
  return ok(dropped);
}

async function dropOne(record: WorktreeRecord, { world }: Ground): Promise<Dropped> {
  const name = record.slug;
  // The approval is for the worktree as it was found, not for one that is in use.
  const removal = await removeWorktree({ ...record, owner: null }, { kind: 'told' }, world);
  if (!removal.ok) return { name, dropped: false, reason: removal.problem.message };
  return removal.value.removed
    ? { name, dropped: true }
    : { name, dropped: false, reason: removal.value.reason };
}

export interface ToDrop {
  name: string;
  owner: Owner;
  holds: string;
}

/** Everything that dropping would remove, for the approval question. */
export async function dropPlan(ground: Ground, records: readonly WorktreeRecord[]): Promise<ToDrop[]> {
  return lookOnly(ground, async ({ world }) => {
    const plan: ToDrop[] = [];
    for (const record of records) {
      const holds = describeHoldings(await countHoldings(record, world));
      plan.push({ name: record.slug, owner: pickOwner(record), holds });
    }
    return plan;
  });
}

/** All changes in a worktree, as a patch. */
export function diffWorktree(ground: Ground, record: WorktreeRecord, stat = false): Promise<Result<string>> {
  return lookOnly(ground, async (looking) => {
    const candidate = await readCandidate(record, looking);
    if (!candidate.ok) return candidate;
    const flags = stat ? ['--stat'] : [];
    return bindGit(
      looking.world,
      record.path,
    )(['diff', '--no-color', ...flags, record.base, candidate.value.tip, '--']);
  });
}
