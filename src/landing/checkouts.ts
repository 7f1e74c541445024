import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { failure, ok, type Result, usage } from '../lib/result.ts';
import { realPathOf } from '../workspace/real-path.ts';
import {
  findAdministration,
  type Git,
  gitIn,
  listCheckouts,
  namesIn,
  oneLine,
  readQuietly,
} from '../workspace/worktree-repository.ts';
import { describeUnfinished, unfinishedIn } from '../workspace/worktree-unfinished.ts';
import type { Ground } from './types.ts';

/**
 * The top of the checkout in which a branch is checked out, if one is. A failure where the branch cannot be moved as
 * things stand: something is half done with it, or its checkout cannot be found.
 */
export async function checkoutOf(branch: string, ground: Ground): Promise<Result<string | undefined>> {
  const { repository, world } = ground;
  const git = gitIn(world, repository.top);
  const listed = await listCheckouts(git);
  if (!listed.ok) return listed;
  const [first, ...linked] = listed.value;
  const main = await topOfMain(first?.path ?? repository.main, git, ground);
  if (!main.ok) return main;
  const busy = workOn(branch, repository.common);
  if (busy) return refused(branch, `is being ${busy.how}`, busy.top ?? main.value, busy.todo);
  const other = linked.find((one) => one.branch === branch);
  const isMain = first?.branch === branch && !first.isBare;
  if (!other && !isMain) return ok(undefined);
  const top = other?.path ?? main.value;
  if (top === undefined)
    return usage(
      `${branch} is checked out where git does not say: the git directory ${repository.common} is apart from it.`,
      'Run this in that checkout.',
    );
  if (!existsSync(top))
    return usage(
      `${branch} is checked out in ${top}, which is not there.`,
      'git worktree prune forgets it; then land again.',
    );
  const own = other ? findAdministration(repository.common, top) : repository.common;
  const begun = own === undefined ? undefined : unfinishedIn(own);
  return begun
    ? usage(
        `Nothing can land on ${branch}: ${describeUnfinished(begun, undefined, ` in ${top}`)}.`,
        'Then land again.',
      )
    : ok(top);
}

function refused(branch: string, what: string, top: string | undefined, todo: string): Result<never> {
  return usage(`${branch} ${what} in ${top ?? 'the main checkout'}.`, `${todo}, then land again.`);
}

/** Git names its own directory as the main checkout where that is not inside of it. */
async function topOfMain(
  path: string,
  git: Git,
  { repository: { top, common } }: Ground,
): Promise<Result<string | undefined>> {
  if (existsSync(join(path, '.git'))) return ok(path);
  const own = await git(['rev-parse', '--absolute-git-dir']);
  if (!own.ok) return own;
  if (realPathOf(oneLine(own.value)) === common) return ok(top);
  const set = await git(['config', '--file', join(common, 'config'), '--get', 'core.worktree'], {
    alsoGood: [1],
  });
  if (!set.ok) return failure(set.problem.message);
  return ok(set.value === '' ? undefined : resolve(common, oneLine(set.value)));
}

interface Work {
  how: string;
  todo: string;
  top?: string;
}

/** A branch that a rebase or a bisect will come back to: git shows it as checked out nowhere. */
function workOn(branch: string, common: string): Work | undefined {
  const linked = namesIn(join(common, 'worktrees')).map((name) => join(common, 'worktrees', name));
  for (const own of [common, ...linked]) {
    const pointed = own === common ? undefined : readQuietly(join(own, 'gitdir'))?.trimEnd();
    const top = pointed === undefined ? {} : { top: resolve(own, pointed, '..') };
    if (namesOf(own).includes(`refs/heads/${branch}`))
      return {
        how: 'rebased',
        todo: 'git rebase --continue ends it, git rebase --abort gives it up',
        ...top,
      };
    if (readQuietly(join(own, 'BISECT_START'))?.trim() === branch)
      return { how: 'bisected', todo: 'git bisect reset ends it', ...top };
  }
  return undefined;
}

/** The branches that a rebase moves at its end. */
function namesOf(own: string): string[] {
  const files = ['rebase-merge/head-name', 'rebase-apply/head-name', 'rebase-merge/update-refs'];
  return files.flatMap((name) => readQuietly(join(own, name))?.split('\n') ?? []).map((line) => line.trim());
}
