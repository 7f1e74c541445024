import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ok, type Result } from '../lib/result.ts';
import { changesIn } from './worktree-changes.ts';
import { dropRecord, isInUse, listRecords, type WorktreeRecord, writeRecord } from './worktree-record.ts';
import { discardWorktree, removeIfUnchanged, unlockWorktree } from './worktree-remove.ts';
import { findAdministration, gitIn, type WorktreeWorld } from './worktree-repository.ts';

/** What became of a worktree whose process is gone. */
export interface Swept {
  record: WorktreeRecord;
  end: 'removed' | 'kept' | 'failed';
  reason?: string;
}

/** Worktrees whose process is gone, which is what a crash leaves behind, and those that somebody removed by hand. */
export function findDeadWorktrees(home: string): WorktreeRecord[] {
  return listRecords(home).filter((record) =>
    record.owner === null ? !existsSync(record.path) : !isInUse(record),
  );
}

/**
 * Clears up behind processes that are gone. What was never finished, or holds nothing, is removed with its branch; what
 * holds work is kept and unlocked. In doubt it is kept.
 */
export async function sweepWorktrees(world: WorktreeWorld): Promise<Swept[]> {
  const swept: Swept[] = [];
  for (const record of findDeadWorktrees(world.home)) {
    const end = await clear(record, world);
    swept.push(end.ok ? { record, end: end.value } : { record, end: 'failed', reason: end.problem.message });
  }
  return swept;
}

async function clear(record: WorktreeRecord, world: WorktreeWorld): Promise<Result<'removed' | 'kept'>> {
  if (!existsSync(record.common) || !existsSync(record.main)) {
    dropRecord(world.home, record);
    return ok('removed');
  }
  // Until it is ready nobody has been told of it.
  if (record.state === 'creating' || !existsSync(record.path)) return clearEmpty(record, world);
  restoreLink(record);
  const changes = await changesIn(record, world);
  if (!changes.ok) return keep(record, world);
  if (record.state === 'removing' && changes.value.isOnlyDeleted)
    return gone(await discardWorktree(record, world));
  if (!changes.value.isUnchanged || record.keep) return keep(record, world);
  const removed = await removeIfUnchanged(record, world);
  if (!removed.ok) return removed;
  return removed.value ? ok('removed') : keep(record, world);
}

/** No tree, or none that anybody was in: but its branch may have commits. */
async function clearEmpty(record: WorktreeRecord, world: WorktreeWorld): Promise<Result<'removed' | 'kept'>> {
  const git = gitIn(world, record.main);
  const tip = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${record.branch}`], {
    alsoGood: [1],
  });
  if (!tip.ok) return tip;
  const stands = tip.value.trim();
  if (stands === '' || stands === record.base) return gone(await discardWorktree(record, world));
  if (record.owner !== null) return keep(record, world);
  // Its branch is an ordinary one from here on.
  dropRecord(world.home, record);
  return ok('removed');
}

function gone(removed: Result<boolean>): Result<'removed'> {
  return removed.ok ? ok('removed') : removed;
}

async function keep(record: WorktreeRecord, world: WorktreeWorld): Promise<Result<'kept'>> {
  await unlockWorktree(record, world);
  const noted = writeRecord(world.home, { ...record, state: 'ready', owner: null });
  return noted.ok ? ok('kept') : noted;
}

/** A removal that was cut off may have taken the file by which git knows the tree; the rest may still be there. */
function restoreLink({ path, common }: WorktreeRecord): void {
  const own = findAdministration(common, path);
  const link = join(path, '.git');
  if (own === undefined || existsSync(link)) return;
  try {
    writeFileSync(link, `gitdir: ${own}\n`, { flag: 'wx' });
  } catch {
    // Whatever it is, it is kept.
  }
}
