import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listNames } from '../../lib/files/list-names.ts';
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
  /** Locks of dead processes. */
  locks: string[];
}

/** Read-only. */
export async function examineWorktrees(around: Surroundings): Promise<WorktreeExamination> {
  const { findDeadLocks } = await import('../../session/worktrees/worktrees.ts');
  const { isLeft } = await import('../../workspace/worktrees/in-use.ts');
  const { listRecords } = await import('../../workspace/worktrees/record.ts');
  const { findAdministration } = await import('../../workspace/worktrees/repository.ts');
  // Others may be on a disk that is not mounted.
  const records = listRecords(around.home).filter(({ common }) => existsSync(common));
  const dead = records.filter((record) => isLeft(record, around.home));
  const odd = records
    .filter((record) => !dead.includes(record) && record.state === 'ready')
    .filter(({ common, path }) => findAdministration(common, path) === undefined)
    .map(({ path }) => `${path} (unknown to git)`);
  const ours = await listOurWorktrees(around.cwd);
  const isUnrecorded = (path: string) => !records.some((record) => record.path === path);
  const unknown = ours.known
    .filter(isUnrecorded)
    .map(
      (path) =>
        `${path} (known to git, but Cadre has no record of it; bring over its branch with git merge, or delete it with git worktree remove)`,
    );
  const moved = ours.moved
    .filter(isUnrecorded)
    .map(
      (path) =>
        `${path} (git knows it at another path, as after a move of the repository: git worktree repair ${path})`,
    );
  return {
    kept: records.length - dead.length,
    dead: dead.map(({ path }) => path),
    odd: [...odd, ...unknown, ...moved],
    cutOff: await cutOffLandings(around.home),
    locks: await findDeadLocks(around),
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

/** The worktrees in our directory, for the repository around a directory: those that git knows, and other checkouts. */
async function listOurWorktrees(cwd: string): Promise<{ known: string[]; moved: string[] }> {
  const { findRoot } = await import('../../workspace/workspace.ts');
  const { findMainRoot } = await import('../../workspace/git/main-root.ts');
  const { administered } = await import('../../workspace/worktrees/repository.ts');
  const root = findRoot(cwd);
  if (root === undefined) return { known: [], moved: [] };
  const main = resolveRealPath(findMainRoot(root));
  const ours = join(main, '.cadre', 'worktrees');
  const known = administered(join(main, '.git')).filter((path) => isWithin(path, ours));
  const present = listNames(ours).map((name) => join(ours, name));
  const moved = present.filter((path) => !known.includes(path) && existsSync(join(path, '.git')));
  return { known, moved };
}
