import { join } from 'node:path';
import type { Surroundings } from '../../session/surroundings.ts';
import { isWithin } from '../../workspace/paths.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';

export interface WorktreeExamination {
  kept: number;
  /** Left behind by a dead process. */
  dead: string[];
  /** Mismatches between our records and git. */
  odd: string[];
  /** Checkouts with an interrupted landing that is not finished yet. */
  cutOff: string[];
}

/** Read-only. */
export async function examineWorktrees(around: Surroundings): Promise<WorktreeExamination> {
  const { isLeft } = await import('../../workspace/worktrees/in-use.ts');
  const { listRecords } = await import('../../workspace/worktrees/record.ts');
  const { findAdministration } = await import('../../workspace/worktrees/repository.ts');
  const records = listRecords(around.home);
  const dead = records.filter((record) => isLeft(record, around.home));
  const odd = records
    .filter((record) => !dead.includes(record) && record.state === 'ready')
    .filter(({ common, path }) => findAdministration(common, path) === undefined)
    .map(({ path }) => `${path} (unknown to git)`);
  const unknown = (await listOurWorktrees(around.cwd))
    .filter((path) => !records.some((record) => record.path === path))
    .map(
      (path) => `${path} (known to git, but Cadre has no record of it; delete it with git worktree remove)`,
    );
  return {
    kept: records.length - dead.length,
    dead: dead.map(({ path }) => path),
    odd: [...odd, ...unknown],
    cutOff: await cutOffLandings(around.home),
  };
}

async function cutOffLandings(home: string): Promise<string[]> {
  const { findCutOff, listJournals, readJournal } = await import('../../landing/moving/journal.ts');
  const unread = listJournals(home).filter((path) => readJournal(path) === undefined);
  return [
    ...unread.map((path) => `${path} (cannot be read)`),
    ...findCutOff(home).map(({ top, branch }) => `${top} (a landing on ${branch} was interrupted)`),
  ];
}

/** The worktrees git knows in our directory, for the repository around a directory. */
async function listOurWorktrees(cwd: string): Promise<string[]> {
  const { findRoot } = await import('../../workspace/workspace.ts');
  const { findMainRoot } = await import('../../workspace/git/main-root.ts');
  const { administered } = await import('../../workspace/worktrees/repository.ts');
  const root = findRoot(cwd);
  if (root === undefined) return [];
  const main = resolveRealPath(findMainRoot(root));
  return administered(join(main, '.git')).filter((path) => isWithin(path, join(main, '.cadre', 'worktrees')));
}
