import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import { snapshotTree } from './changes.ts';
import { isLeft } from './in-use.ts';
import { dropRecord, listRecords, type WorktreeRecord } from './record.ts';
import { type Removal, releaseWorktree, removeWorktree } from './remove.ts';
import { bindGit, findAdministration, type WorktreeWorld } from './repository.ts';

/** The outcome for a worktree whose process has ended. */
export interface Swept {
  record: WorktreeRecord;
  end: 'removed' | 'kept' | 'failed';
  reason?: string;
}

/** Worktrees whose process has ended, left behind by a crash, and those that the user removed by hand. */
export function findDeadWorktrees(home: string): WorktreeRecord[] {
  return listRecords(home).filter((record) =>
    record.owner === null ? record.state === 'removing' || !existsSync(record.path) : isLeft(record, home),
  );
}

/**
 * Cleans up after processes that have ended. A worktree that was never finished, or is empty, is removed with its branch; one
 * with work is kept and unlocked. In doubt it is kept.
 */
export async function sweepWorktrees(world: WorktreeWorld): Promise<Swept[]> {
  const swept: Swept[] = [];
  for (const record of findDeadWorktrees(world.home)) {
    if (isAway(record, world)) continue;
    const end = await clear(record, world);
    swept.push(end.ok ? { record, end: end.value } : { record, end: 'failed', reason: end.problem.message });
  }
  return swept;
}

const maxAwayMs = 365 * 24 * 60 * 60_000;

/** Its repository is not there: on a disk that is not mounted, for instance, with which the work comes back. */
function isAway(
  { state, scratch, common, main, createdAt }: WorktreeRecord,
  { clock }: WorktreeWorld,
): boolean {
  if (state !== 'ready' || scratch || (existsSync(common) && existsSync(main))) return false;
  return clock.now() - Date.parse(createdAt) < maxAwayMs;
}

async function clear(record: WorktreeRecord, world: WorktreeWorld): Promise<Result<'removed' | 'kept'>> {
  if (!existsSync(record.common) || !existsSync(record.main)) {
    dropRecord(world.home, record);
    return ok('removed');
  }
  // Until it is ready no agent knows about it.
  if (record.state === 'creating' || !existsSync(record.path)) return clearEmpty(record, world);
  if (record.scratch) return ended(await removeWorktree(record, { kind: 'told' }, world), record, world);
  restoreLink(record);
  world.step?.('found');
  if (record.state === 'removing') return finishRemoval(record, world);
  return ended(await removeWorktree(record, { kind: 'unchanged' }, world), record, world);
}

/** A worktree that cannot be read is kept as well. */
async function ended(
  removal: Result<Removal>,
  record: WorktreeRecord,
  world: WorktreeWorld,
): Promise<Result<'removed' | 'kept'>> {
  if (removal.ok && removal.value.removed) return ok('removed');
  const released = await releaseWorktree(record, world);
  return released.ok ? ok('kept') : released;
}

/**
 * If something was added since, it is kept, and files already removed are restored: otherwise their removal would look like
 * work.
 */
async function finishRemoval(
  record: WorktreeRecord,
  world: WorktreeWorld,
): Promise<Result<'removed' | 'kept'>> {
  const removal = await removeWorktree(record, { kind: record.proven ? 'begun' : 'unchanged' }, world);
  if (record.proven && removal.ok && !removal.value.removed) await putBack(record, record.proven.tree, world);
  return ended(removal, record, world);
}

async function putBack({ path }: WorktreeRecord, tree: string, world: WorktreeWorld): Promise<void> {
  const git = bindGit(world, path);
  const now = await snapshotTree(path, world);
  if (!now.ok) return;
  const args = ['diff', '--name-only', '-z', '--no-renames', '--diff-filter=D', tree, now.value, '--'];
  const missing = await git(args);
  if (!missing.ok || missing.value === '') return;
  await git(['restore', `--source=${tree}`, '--worktree', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    input: missing.value,
  });
}

/** No tree, or an unused one: but its branch may have commits. */
async function clearEmpty(record: WorktreeRecord, world: WorktreeWorld): Promise<Result<'removed' | 'kept'>> {
  const tip = await findTip(record, world);
  if (!tip.ok) return tip;
  const isNothing = ['', record.base, record.proven?.tip].includes(tip.value);
  if (isNothing) return ended(await removeWorktree(record, { kind: 'told' }, world), record, world);
  if (record.owner !== null) return ended(ok({ removed: false, reason: 'it holds commits' }), record, world);
  // Its branch is an ordinary one from here on.
  dropRecord(world.home, record);
  return ok('removed');
}

/** The tip of its branch; including commits checked out beyond it, if the directory is missing and git still knows them. */
async function findTip(record: WorktreeRecord, world: WorktreeWorld): Promise<Result<string>> {
  const { branch, base, main, common, path, proven } = record;
  const git = bindGit(world, main);
  const ref = `refs/heads/${branch}`;
  const tip = await git(['rev-parse', '--verify', '--quiet', ref], { alsoGood: [1] });
  if (!tip.ok) return tip;
  const stands = tip.value.trim();
  const own = findAdministration(common, path);
  if (own === undefined) return ok(stands);
  const seen = await git(['rev-parse', '--verify', '--quiet', `worktrees/${basename(own)}/HEAD^{commit}`], {
    alsoGood: [1],
  });
  const head = seen.ok ? seen.value.trim() : '';
  if (['', stands, base, proven?.head].includes(head)) return ok(stands);
  const beyond = await git(['rev-list', '--count', `${head}..${stands || head}`]);
  if (!beyond.ok || beyond.value.trim() !== '0') return beyond.ok ? ok(stands) : beyond;
  const moved = await git(['update-ref', '-m', 'cadre: keep', ref, head, stands || '0'.repeat(head.length)]);
  return moved.ok ? ok(head) : moved;
}

/** An interrupted removal may have removed the file by which git knows the tree; the rest may still exist. */
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
