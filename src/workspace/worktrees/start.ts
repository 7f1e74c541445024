import { failure, ok, type Result } from '../../lib/result.ts';
import { findLandedPart, type LandedNotes, pickLanded } from './landed-part.ts';
import type { WorktreeRecord } from './record.ts';
import { bindGit, type Git, type WorktreeWorld } from './repository.ts';

/**
 * The commit from which everything up to `tip` is the work of a worktree: its base, or the part of the target that it has
 * merged or was rebased onto since, or what of it has landed. What the target has is not its work.
 */
export async function findWorkStart(
  { base, slug, ...notes }: Pick<WorktreeRecord, 'base' | 'slug'> & LandedNotes,
  tip: string,
  target: string,
  git: Git,
): Promise<Result<string>> {
  const isAncestor = async (a: string, b: string) => (await git(['merge-base', '--is-ancestor', a, b])).ok;
  const shared = await git(['merge-base', tip, target], { alsoGood: [1] });
  if (!shared.ok) return shared;
  const common = shared.value.trim();
  if (common === '') return failure(`${slug} shares no commit with the branch it would land on.`);
  const landed = await pickLanded(notes, target, git);
  if (landed && (await isAncestor(landed.tip, tip)) && !(await isAncestor(landed.commit, tip)))
    return ok(landed.tip);
  if (await isAncestor(base, common)) return ok(common);
  return ok((await isAncestor(base, tip)) ? base : common);
}

/**
 * The same where no target is named: against what the main checkout has; its base where that cannot be said. `tree`: all that
 * is in the worktree, committed or not, where that is known.
 */
export async function findUsualStart(
  record: Pick<WorktreeRecord, 'base' | 'slug' | 'main'> & LandedNotes,
  { tip, tree }: { tip: string; tree?: string },
  world: WorktreeWorld,
): Promise<string> {
  const git = bindGit(world, record.main);
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (!head.ok) return record.base;
  const target = head.value.trim();
  if (target === record.base) return record.base;
  const part =
    tree === undefined ? undefined : await findLandedPart(record, { head: tip, tree }, target, git);
  if (part) return part.tip;
  const start = await findWorkStart(record, tip, target, git);
  return start.ok ? start.value : record.base;
}
