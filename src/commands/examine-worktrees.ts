import { join } from 'node:path';
import type { Surroundings } from '../session/surroundings.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';

export interface WorktreeExamination {
  kept: number;
  /** Those that a dead process left behind. */
  dead: string[];
  /** Where our records and git say different things. */
  odd: string[];
  /** Checkouts on which a landing was cut off and not yet finished. */
  cutOff: string[];
}

/** Looks only. */
export async function examineWorktrees(around: Surroundings): Promise<WorktreeExamination> {
  const { listRecords, isInUse } = await import('../workspace/worktrees/record.ts');
  const { findAdministration } = await import('../workspace/worktrees/repository.ts');
  const records = listRecords(around.home);
  const dead = records.filter((record) => record.owner !== null && !isInUse(record));
  const odd = records
    .filter((record) => !dead.includes(record) && record.state === 'ready')
    .filter(({ common, path }) => findAdministration(common, path) === undefined)
    .map(({ path }) => `${path} (git does not know it)`);
  const unknown = (await listOurWorktrees(around.cwd))
    .filter((path) => !records.some((record) => record.path === path))
    .map((path) => `${path} (git knows it, and there is no record of it: git worktree remove)`);
  return {
    kept: records.length - dead.length,
    dead: dead.map(({ path }) => path),
    odd: [...odd, ...unknown],
    cutOff: await cutOffLandings(around.home),
  };
}

async function cutOffLandings(home: string): Promise<string[]> {
  const { listJournals, readJournal } = await import('../landing/journal.ts');
  const { isSameProcess } = await import('../lib/processes/mark.ts');
  return listJournals(home).flatMap((path) => {
    const journal = readJournal(path);
    if (!journal) return [`${path} (cannot be read)`];
    return isSameProcess(journal.owner)
      ? []
      : [`${journal.top} (a landing on ${journal.branch} was cut off)`];
  });
}

/** The worktrees that git knows where ours stand, in the repository around a directory. */
async function listOurWorktrees(cwd: string): Promise<string[]> {
  const { findRoot } = await import('../workspace/workspace.ts');
  const { findMainRoot } = await import('../workspace/git/main-root.ts');
  const { administered } = await import('../workspace/worktrees/repository.ts');
  const root = findRoot(cwd);
  if (root === undefined) return [];
  const main = resolveRealPath(findMainRoot(root));
  return administered(join(main, '.git')).filter((path) => isWithin(path, join(main, '.cadre', 'worktrees')));
}
