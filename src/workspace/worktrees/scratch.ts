import { existsSync } from 'node:fs';
import { ok, type Result, usage } from '../../lib/result.ts';
import { createWorktree, type NewWorktree, type WorktreeOrder } from './create.ts';
import { pickWorktrees } from './identity.ts';
import { listRecords, locateStand, locateWorkspace, readRecord, type WorktreeRecord } from './record.ts';
import { discardWorktree } from './remove.ts';
import { findRepository, type WorktreeWorld } from './repository.ts';

type CopyOrder = Pick<WorktreeOrder, 'cwd' | 'root' | 'uncommitted' | 'scratch' | 'copyOf' | 'ignoredFrom'>;

/** The worktree of a session that a word means, for a copy of it. */
export async function findCopied(
  word: string,
  { cwd, session }: { cwd: string; session: string },
  world: WorktreeWorld,
): Promise<Result<WorktreeRecord>> {
  const repository = await findRepository(cwd, world);
  if (!repository.ok) return repository;
  const own = listRecords(world.home, repository.value.common).filter(
    (record) => record.session === session && isCopied(record),
  );
  const found = pickWorktrees(own, [word], true);
  if (!found.ok) return found;
  const [source] = found.value;
  return source ? ok(source) : usage(`There is no worktree ${word}.`);
}

/**
 * All that is in a worktree now, committed or not. Ignored files are those of the main checkout: they would not land with
 * the work, and links into a worktree would break when that is removed.
 */
export function describeCopy(source: WorktreeRecord): CopyOrder {
  const stand = locateStand(source);
  return {
    cwd: existsSync(stand) ? stand : source.path,
    root: locateWorkspace(source),
    uncommitted: true,
    scratch: true,
    copyOf: source.slug,
    ignoredFrom: source.main,
  };
}

/** The same copy anew, of what is in the worktree by now. */
export async function copyAgain(
  before: Pick<WorktreeRecord, 'common' | 'slug'> & { copyOf?: string | undefined },
  order: Omit<WorktreeOrder, keyof CopyOrder>,
  world: WorktreeWorld,
): Promise<Result<NewWorktree>> {
  const source = readRecord(world.home, before.common, before.copyOf ?? '');
  if (!source || !isCopied(source) || source.session !== order.session)
    return usage(
      `The worktree ${before.copyOf}, which it was to try, is gone: it was landed or dropped.`,
      'Start another agent.',
    );
  const left = readRecord(world.home, before.common, before.slug);
  if (left?.scratch) {
    const gone = await discardWorktree(left, world);
    if (!gone.ok) return gone;
  }
  return createWorktree({ ...order, ...describeCopy(source) }, world);
}

function isCopied({ state, scratch, path }: WorktreeRecord): boolean {
  return state === 'ready' && !scratch && existsSync(path);
}
