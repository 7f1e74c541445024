import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeFileError } from '../../lib/files/files.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import type { Git, WorktreeWorld } from '../../workspace/worktrees/repository.ts';
import { type BytePath, encodeBytePath, readFileIdentity } from './byte-path.ts';
import { unlockIndex } from './index-lock.ts';
import { type Journal, locateStaging, removeJournal } from './journal.ts';
import { type KnownFiles, undoFiles } from './place.ts';
import { clearStaging } from './stage.ts';

/**
 * The last steps, once all files are in place: the index that belongs to them, then the branch. Until then the index waits
 * beside the files, so its absence there means that they are all in place.
 */
export async function commitCheckout(
  journal: Journal,
  git: Git,
  step?: (name: string) => void,
): Promise<Result<void>> {
  const indexFile = stagedIndex(journal);
  if (existsSync(indexFile)) {
    const refreshed = await git(['update-index', '-q', '--refresh'], { indexFile, alsoGood: [1] });
    if (!refreshed.ok) return refreshed;
    const installed = attempt(journal, () => {
      rmSync(formerIndex(journal), { force: true });
      linkSync(ownIndex(journal), formerIndex(journal));
      renameSync(indexFile, ownIndex(journal));
    });
    if (!installed.ok) return installed;
    step?.('indexed');
  }
  return moveBranch(journal, git);
}

/** Fails if the branch has moved. */
export async function moveBranch(
  { branch, from, to }: Pick<Journal, 'branch' | 'from' | 'to'>,
  git: Git,
): Promise<Result<void>> {
  const ref = `refs/heads/${branch}`;
  const moved = await git(['update-ref', '-m', 'cadre: land', ref, to, from]);
  return moved.ok ? ok(undefined) : moved;
}

/** Restores the old index if ours had replaced it; an index that another process has written since stays. */
function restoreIndex(journal: Journal): Result<void> {
  const [own, staged, former] = [ownIndex(journal), stagedIndex(journal), formerIndex(journal)];
  if (!existsSync(former)) return ok(undefined);
  return attempt(journal, () => {
    if (!existsSync(staged)) linkSync(own, staged);
    if (readFileIdentity(encodeBytePath(own)) === readFileIdentity(encodeBytePath(staged)))
      renameSync(former, own);
  });
}

/** Restores everything. Files that another process has written since are left as they are and named. */
export async function undoCheckout(journal: Journal, looks?: KnownFiles): Promise<Result<BytePath[]>> {
  const index = restoreIndex(journal);
  return index.ok ? undoFiles({ ...journal, ...(looks ? { looks } : {}) }) : index;
}

/** The checkout is complete: records and backups are no longer needed. */
export async function clearUp(journal: Journal, { home }: WorktreeWorld): Promise<Result<void>> {
  unlockIndex(journal);
  const cleared = await clearStaging(journal);
  if (cleared.ok) removeJournal(home, journal.common);
  return cleared;
}

export function isIndexReplaced(journal: Journal): boolean {
  return !existsSync(stagedIndex(journal));
}

export function ownIndex({ gitDirectory }: Pick<Journal, 'gitDirectory'>): string {
  return join(gitDirectory, 'index');
}

function stagedIndex(journal: Journal): string {
  return join(locateStaging(journal), 'index');
}

function formerIndex(journal: Journal): string {
  return join(locateStaging(journal), 'index.before');
}

function attempt(journal: Journal, action: () => void): Result<void> {
  try {
    action();
    return ok(undefined);
  } catch (error) {
    return fail(describeFileError(error, ownIndex(journal), 'replace'));
  }
}
