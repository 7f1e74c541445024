import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { listNames } from '../lib/files/list-names.ts';
import { failure, ok, type Result, usage } from '../lib/result.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import {
  bindGit,
  findAdministration,
  type Git,
  listCheckouts,
  oneLine,
  readQuietly,
} from '../workspace/worktrees/repository.ts';
import { describeUnfinished, findUnfinished } from '../workspace/worktrees/unfinished.ts';
import type { Ground } from './types.ts';

/**
 * The top of the checkout that has a branch checked out, if any, for moving the branch forward. Fails if it cannot be moved
 * now: an operation on it is unfinished, or its checkout cannot be found.
 */
export async function locateCheckout(branch: string, ground: Ground): Promise<Result<string | undefined>> {
  const found = await findCheckout(branch, ground);
  if (!found.ok) return found;
  const { common } = ground.repository;
  const { top, own, main, another } = found.value;
  const busy = findWork(branch, common);
  if (busy) return refused(branch, `is being ${busy.how}`, busy.top ?? main, busy.todo);
  if (own === undefined) return ok(undefined);
  if (another !== undefined)
    return usage(
      `${branch} is checked out twice, in ${top ?? 'the main checkout'} and in ${another}, and only one of them could be updated.`,
      'Switch one of them to another branch, then land again.',
    );
  if (top === undefined)
    return usage(
      `${branch} is checked out at an unknown place: the git directory ${common} is separate from the checkout.`,
      'Run this in that checkout.',
    );
  if (!existsSync(top))
    return usage(
      `${branch} is checked out in ${top}, which does not exist.`,
      'Run git worktree prune to remove the entry, then land again.',
    );
  const begun = findUnfinished(own);
  if (!begun) return ok(top);
  const what = describeUnfinished(begun, undefined, ` in ${top}`);
  return usage(`Nothing can land on ${branch}: ${what}.`, 'Then land again.');
}

export interface FoundCheckout {
  /** Undefined where no checkout has it, or git does not say which. */
  top?: string;
  /** The git directory of the checkout that has it. */
  own?: string;
  /** The top of a second checkout that has it, which git allows with --force. */
  another?: string;
  /** The top of the main checkout, where that is known. */
  main?: string;
}

/** The same for reading only: unfinished operations do not matter. */
export async function findCheckout(branch: string, ground: Ground): Promise<Result<FoundCheckout>> {
  const { top, main, common } = ground.repository;
  const git = bindGit(ground.world, top);
  const listed = await listCheckouts(git);
  if (!listed.ok) return listed;
  const [first, ...linked] = listed.value;
  const found = await findMainTop(first?.path ?? main, git, ground);
  if (!found.ok) return found;
  const mainTop = found.value === undefined ? {} : { main: found.value };
  const isInMain = first?.branch === branch && !first.isBare;
  // An agent that took the branch for its own worktree is told so when that worktree is to land; it does not block others.
  const isAgents = ({ path }: { path: string }) => dirname(path) === join(main, '.cadre', 'worktrees');
  const having = linked.filter((one) => one.branch === branch);
  const others = having.filter((one) => !isAgents(one));
  const [other, another] = isInMain
    ? [undefined, others[0]]
    : others.length > 0
      ? others
      : having.slice(0, 1);
  const twice = another ? { another: another.path } : {};
  if (isInMain)
    return ok({
      ...mainTop,
      ...twice,
      own: common,
      ...(found.value === undefined ? {} : { top: found.value }),
    });
  if (!other) return ok(mainTop);
  // Without a git directory there is no unfinished operation.
  const own = findAdministration(common, other.path) ?? other.path;
  return ok({ ...mainTop, ...twice, top: other.path, own });
}

function refused(branch: string, what: string, top: string | undefined, todo: string): Result<never> {
  return usage(`${branch} ${what} in ${top ?? 'the main checkout'}.`, `${todo}, then land again.`);
}

/** Git names its own directory as the main checkout when that directory is outside it. */
async function findMainTop(
  path: string,
  git: Git,
  { repository: { top, common } }: Ground,
): Promise<Result<string | undefined>> {
  if (existsSync(join(path, '.git'))) return ok(path);
  const own = await git(['rev-parse', '--absolute-git-dir']);
  if (!own.ok) return own;
  if (resolveRealPath(oneLine(own.value)) === common) return ok(top);
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

/** A branch that a rebase or a bisect will return to: git shows it as checked out nowhere. */
function findWork(branch: string, common: string): Work | undefined {
  const linked = listNames(join(common, 'worktrees')).map((name) => join(common, 'worktrees', name));
  for (const own of [common, ...linked]) {
    const pointed = own === common ? undefined : readQuietly(join(own, 'gitdir'))?.trimEnd();
    const top = pointed === undefined ? {} : { top: resolve(own, pointed, '..') };
    if (listRebasedBranches(own).includes(`refs/heads/${branch}`))
      return {
        how: 'rebased',
        todo: 'Finish it with git rebase --continue or cancel it with git rebase --abort',
        ...top,
      };
    if (readQuietly(join(own, 'BISECT_START'))?.trim() === branch)
      return { how: 'bisected', todo: 'End it with git bisect reset', ...top };
  }
  return undefined;
}

/** The branches that a rebase moves when it ends. */
function listRebasedBranches(own: string): string[] {
  const files = ['rebase-merge/head-name', 'rebase-apply/head-name', 'rebase-merge/update-refs'];
  return files.flatMap((name) => readQuietly(join(own, name))?.split('\n') ?? []).map((line) => line.trim());
}
