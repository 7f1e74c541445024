import { existsSync } from 'node:fs';
import { ok, type Result, usage } from '../lib/result.ts';
import { commitTree } from '../workspace/worktrees/carry.ts';
import { type Content, readWorktreeContent } from '../workspace/worktrees/content.ts';
import { isInUse, listRecords, type WorktreeRecord } from '../workspace/worktrees/record.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import { nameFiles } from '../workspace/worktrees/words.ts';
import type { Ground, Owner } from './types.ts';

/** The current state of a worktree: everything in it, committed or not, as one commit that is on no branch. */
export interface Candidate {
  name: string;
  owner: Owner;
  record: WorktreeRecord;
  isBusy: boolean;
  /** Its content when it was looked at. */
  content: Content;
  /** Why it cannot land as it is, and what to do about it. */
  obstacle?: string;
  tip: string;
  /** Files changed since its base. */
  files: string[];
}

/** The worktrees of this repository, in order of creation, or in the order given. */
export function findWorktrees(
  { repository, world }: Ground,
  names?: readonly string[],
): Result<WorktreeRecord[]> {
  const all = listRecords(world.home, repository.common).filter(
    ({ state, path, scratch }) => state === 'ready' && !scratch && existsSync(path),
  );
  if (names === undefined || names.length === 0) return ok(all);
  const found = [...new Set(names)].map((name) => ({
    name,
    record: all.find(({ slug, agentName, agentId }) => [slug, agentName, agentId].includes(name)),
  }));
  const missing = found.find(({ record }) => record === undefined);
  if (missing)
    return usage(
      `There is no worktree ${JSON.stringify(missing.name)}.`,
      all.length === 0
        ? 'This repository has no worktrees of Cadre.'
        : `There are: ${all.map(({ slug }) => slug).join(', ')}.`,
    );
  return ok(found.flatMap(({ record }) => (record ? [record] : [])));
}

export async function readCandidate(record: WorktreeRecord, { world }: Ground): Promise<Result<Candidate>> {
  const git = bindGit(world, record.path);
  const content = await readWorktreeContent(record, world);
  if (!content.ok) return content;
  const { head, tree, obstacles } = content.value;
  const committed = await git(['rev-parse', `${head}^{tree}`]);
  if (!committed.ok) return committed;
  const message = record.title ?? `Work in ${record.slug}`;
  const tip =
    committed.value.trim() === tree
      ? ok(head)
      : await commitTree({ tree, parents: [head], message }, record.path, world);
  if (!tip.ok) return tip;
  const files = await git(['diff', '--name-only', '-z', '--no-renames', record.base, tip.value, '--']);
  if (!files.ok) return files;
  const changed = files.value.split('\0').filter((path) => path !== '');
  const obstacle = obstacles[0] ?? amongWorktrees(changed);
  return ok({
    name: record.slug,
    owner: pickOwner(record),
    record,
    isBusy: isInUse(record),
    content: content.value,
    ...(obstacle === undefined ? {} : { obstacle }),
    tip: tip.value,
    files: changed,
  });
}

/**
 * Landing these would put them into the work of others, who would not see them, or remove them with the worktree they came
 * from.
 */
function amongWorktrees(files: readonly string[]): string | undefined {
  const inside = files.filter((path) => path.toLowerCase().startsWith('.cadre/worktrees/'));
  if (inside.length === 0) return undefined;
  return `${nameFiles(inside)} would be written where worktrees are kept: remove it with git rm -r --cached .cadre/worktrees`;
}

export function pickOwner({ agentId, agentName }: WorktreeRecord): Owner {
  return { agentId, ...(agentName === undefined ? {} : { name: agentName }) };
}

/** The branch that work lands on: the named one, or the one checked out where landing was requested. */
export async function resolveTarget(
  ground: Ground,
  named?: string,
): Promise<Result<{ branch: string; commit: string }>> {
  const { repository, world } = ground;
  const git = bindGit(world, repository.top);
  const current = await git(['symbolic-ref', '--quiet', '--short', 'HEAD'], { alsoGood: [1] });
  if (!current.ok) return current;
  const branch = named ?? current.value.trim();
  if (named === undefined && branch === '')
    return usage(
      'No branch is checked out here (HEAD is detached).',
      'Name the one to land on with --onto BRANCH.',
    );
  // By its exact name: an expression that only resolves to a commit cannot be moved.
  const found = await git(['show-ref', '--verify', '--hash', `refs/heads/${branch}`]);
  if (!found.ok) return usage(`There is no branch ${branch}.`, 'Name a local branch.');
  return ok({ branch, commit: found.value.trim() });
}
