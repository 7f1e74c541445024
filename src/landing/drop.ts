import { ok, type Result } from '../lib/result.ts';
import { isInUse, type WorktreeRecord } from '../workspace/worktree-record.ts';
import { discardWorktree } from '../workspace/worktree-remove.ts';
import { gitIn } from '../workspace/worktree-repository.ts';
import { candidateOf, findWorktrees } from './candidates.ts';
import { lookOnly } from './look-only.ts';
import type { Ground } from './types.ts';

export interface Dropped {
  name: string;
  dropped: boolean;
  reason?: string;
}

/** Removes worktrees with all that is in them. Whoever calls has asked. One that is in use stays. */
export async function drop(ground: Ground, names: readonly string[]): Promise<Result<Dropped[]>> {
  const found = findWorktrees(ground, names);
  if (!found.ok) return found;
  const dropped: Dropped[] = [];
  for (const record of found.value) dropped.push(await dropOne(record, ground));
  return ok(dropped);
}

async function dropOne(record: WorktreeRecord, { world }: Ground): Promise<Dropped> {
  const name = record.slug;
  if (isInUse(record)) return { name, dropped: false, reason: 'an agent is at work in it' };
  const removed = await discardWorktree(record, world);
  return removed.ok
    ? { name, dropped: removed.value }
    : { name, dropped: false, reason: removed.problem.message };
}

/** All that a worktree changes, as a patch. */
export function diffOf(ground: Ground, record: WorktreeRecord, stat = false): Promise<Result<string>> {
  return lookOnly(ground, async (looking) => {
    const candidate = await candidateOf(record, looking);
    if (!candidate.ok) return candidate;
    const flags = stat ? ['--stat'] : [];
    return gitIn(
      looking.world,
      record.path,
    )(['diff', '--no-color', ...flags, record.base, candidate.value.tip, '--']);
  });
}
