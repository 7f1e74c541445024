import { failure, ok, type Result } from '../../lib/result.ts';
import type { WorktreeRecord } from './record.ts';
import { bindGit, type Git, type WorktreeWorld } from './repository.ts';

/**
 * The commit from which everything up to `tip` is the work of a worktree: its base, or the part of the target that it has
 * merged or was rebased onto since. What came from the target is not its work.
 */
export async function findWorkStart(
  { base, slug }: Pick<WorktreeRecord, 'base' | 'slug'>,
  tip: string,
  target: string,
  git: Git,
): Promise<Result<string>> {
  const isAncestor = async (a: string, b: string) => (await git(['merge-base', '--is-ancestor', a, b])).ok;
  const shared = await git(['merge-base', tip, target], { alsoGood: [1] });
  if (!shared.ok) return shared;
  const common = shared.value.trim();
  if (common === '') return failure(`${slug} shares no commit with the branch it would land on.`);
  if (await isAncestor(base, common)) return ok(common);
  return ok((await isAncestor(base, tip)) ? base : common);
}

/** The same where no target is named: against what the main checkout has; its base where that cannot be said. */
export async function findUsualStart(
  record: Pick<WorktreeRecord, 'base' | 'slug' | 'main'>,
  tip: string,
  world: WorktreeWorld,
): Promise<string> {
  const git = bindGit(world, record.main);
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head.ok && head.value.trim() === record.base) return record.base;
  const start = head.ok ? await findWorkStart(record, tip, head.value.trim(), git) : head;
  return start.ok ? start.value : record.base;
}
