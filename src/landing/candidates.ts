import { existsSync } from 'node:fs';
import { ok, type Result, usage } from '../lib/result.ts';
import { type Content, readWorktreeContent } from '../workspace/worktrees/content.ts';
import { pickWorktrees } from '../workspace/worktrees/identity.ts';
import { isInUse } from '../workspace/worktrees/in-use.ts';
import { commitWork, findLandedPart } from '../workspace/worktrees/landed-part.ts';
import { listRecords, type WorktreeRecord } from '../workspace/worktrees/record.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import { findUsualStart, findWorkStart } from '../workspace/worktrees/start.ts';
import { nameFiles } from '../workspace/worktrees/words.ts';
import type { About, Ground } from './types.ts';
import { titleWork } from './work-message.ts';

/** The current state of a worktree: everything in it, committed or not, as one commit that is on no branch. */
export interface Candidate extends About {
  record: WorktreeRecord;
  isBusy: boolean;
  /** Its content when it was looked at. */
  content: Content;
  /** Whether all of it is in commits of the agent. */
  isCommitted: boolean;
  /** Why it cannot land as it is, and what to do about it. */
  obstacle?: string;
  tip: string;
  /** What it began from, or has of the target since. */
  start: string;
  /** Files changed since then. */
  files: string[];
}

/** The worktrees of this repository, in order of creation, or in the order given. */
export function findWorktrees(
  { repository, world, session }: Ground,
  names?: readonly string[],
): Result<WorktreeRecord[]> {
  const all = listRecords(world.home, repository.common)
    .filter(({ state, path, scratch }) => state === 'ready' && !scratch && existsSync(path))
    .filter((record) => session === undefined || record.session === session);
  if (names === undefined || names.length === 0) return ok(all);
  return pickWorktrees(all, names, session !== undefined);
}

/** `target`: the commit that it would land on; what the main checkout has, unless given. */
export async function readCandidate(
  record: WorktreeRecord,
  { world }: Ground,
  target?: string,
): Promise<Result<Candidate>> {
  const git = bindGit(world, record.path);
  const content = await readWorktreeContent(record, world);
  if (!content.ok) return content;
  const { head, tree, obstacles } = content.value;
  const committed = await git(['rev-parse', `${head}^{tree}`]);
  if (!committed.ok) return committed;
  const onto = target ?? (await resolveMain(record, world));
  const part = onto === undefined ? undefined : await findLandedPart(record, content.value, onto, git);
  const tip = await commitWork(record, { head, tree, message: titleWork(record), part }, world);
  if (!tip.ok) return tip;
  const found = target === undefined ? undefined : await findWorkStart(record, tip.value, target, git);
  if (found && !found.ok) return found;
  const start = found?.value ?? (await findUsualStart(record, { tip: tip.value }, world));
  const files = await git(['diff', '--name-only', '-z', '--no-renames', start, tip.value, '--']);
  if (!files.ok) return files;
  const changed = files.value.split('\0').filter((path) => path !== '');
  const obstacle = obstacles[0] ?? amongWorktrees(changed);
  return ok({
    ...describeRecord(record),
    record,
    isBusy: isInUse(record, world.home),
    content: content.value,
    isCommitted: committed.value.trim() === tree,
    ...(obstacle === undefined ? {} : { obstacle }),
    tip: tip.value,
    start,
    files: changed,
  });
}

async function resolveMain({ main }: WorktreeRecord, world: Ground['world']): Promise<string | undefined> {
  const head = await bindGit(world, main)(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  return head.ok ? head.value.trim() : undefined;
}

/** Whether something was done in it, wherever that is by now. */
export function hasWork({ files, tip, record }: Candidate): boolean {
  return files.length > 0 || tip !== record.base;
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

export function describeRecord({ slug, agentId, agentName, session, createdAt }: WorktreeRecord): About {
  const owner = { agentId, ...(agentName === undefined ? {} : { name: agentName }) };
  return { name: slug, owner, session, createdAt };
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
      ground.session === undefined
        ? 'Name the one to land on with --onto BRANCH.'
        : 'Nothing was changed. Tell the user, who can check out the branch to land on (git switch BRANCH), or land it with cadre worktree land --onto BRANCH.',
    );
  // By its exact name: an expression that only resolves to a commit cannot be moved.
  const found = await git(['show-ref', '--verify', '--hash', `refs/heads/${branch}`]);
  if (!found.ok)
    return named === undefined
      ? usage(`The branch ${branch} has no commit yet, so nothing can land on it.`, 'Make a first commit.')
      : usage(`There is no branch ${branch}.`, 'Name a local branch.');
  return ok({ branch, commit: found.value.trim() });
}
