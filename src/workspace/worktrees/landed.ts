import { existsSync } from 'node:fs';
import { ok, type Result } from '../../lib/result.ts';
import { isSignedBy } from './origin.ts';
import type { WorktreeRecord } from './record.ts';
import { bindGit, type Git, type WorktreeWorld } from './repository.ts';

/** Work of an agent that is on a branch of the user. */
export interface LandedWork {
  branch: string;
  /** Where that branch is now. */
  tip: string;
  /** Its commits there, the newest first. */
  commits: string[];
}

/**
 * Where the work of an agent has landed since its worktree began: by the trailers of the commits, which every landing
 * writes, so that it is found whichever process landed it. Undefined if none has.
 */
export async function findLandedWork(
  { agentId, base, main }: Pick<WorktreeRecord, 'agentId' | 'base' | 'main'>,
  world: WorktreeWorld,
): Promise<Result<LandedWork | undefined>> {
  if (agentId === null) return ok(undefined);
  const git = bindGit(world, main);
  // Branches of agents have the same commits where they merged the target.
  const branches = ['--exclude=cadre/*', '--branches'];
  const format = ['-z', '--format=%H%n%B', '--fixed-strings', `--grep=${agentId}`];
  const listed = await git(['log', ...format, ...branches, '--not', base]);
  if (!listed.ok) return listed;
  const commits = listed.value.split('\0').flatMap((entry) => {
    const [commit = '', ...message] = entry.split('\n');
    return isSignedBy(message.join('\n'), agentId) ? [commit] : [];
  });
  const [newest] = commits;
  const target = newest === undefined ? ok(undefined) : await findBranch(newest, git);
  if (!target.ok) return target;
  return ok(target.value && { ...target.value, commits });
}

/** The branch that has a commit: of several the one that is checked out in the main checkout. */
async function findBranch(
  commit: string,
  git: Git,
): Promise<Result<Pick<LandedWork, 'branch' | 'tip'> | undefined>> {
  const format = '--format=%(HEAD)%(objectname) %(refname)';
  const listed = await git(['for-each-ref', format, `--contains=${commit}`, 'refs/heads']);
  if (!listed.ok) return listed;
  const found = listed.value.split('\n').flatMap((line) => {
    const [tip = '', ref = ''] = line.slice(1).split(' ');
    const branch = ref.slice('refs/heads/'.length);
    return branch === '' || branch.startsWith('cadre/')
      ? []
      : [{ isHead: line.startsWith('*'), branch, tip }];
  });
  const chosen = found.find(({ isHead }) => isHead) ?? found[0];
  return ok(chosen && { branch: chosen.branch, tip: chosen.tip });
}

/**
 * Where an agent continues of which nothing is left: the branch that its work would land on, if that has the commit it began
 * with, and so all that it had merged. Undefined where that branch is no further, or has gone another way.
 */
export async function findGrownBranch(
  { base, main, starts = [] }: Pick<WorktreeRecord, 'base' | 'main' | 'starts'>,
  world: WorktreeWorld,
): Promise<Pick<LandedWork, 'branch' | 'tip'> | undefined> {
  const git = bindGit(world, starts.find((path) => existsSync(path)) ?? main);
  const branch = await git(['symbolic-ref', '--quiet', '--short', 'HEAD'], { alsoGood: [1] });
  const tip = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], { alsoGood: [1] });
  if (!branch.ok || !tip.ok || branch.value.trim() === '' || tip.value.trim() === base) return undefined;
  const isGrown = await git(['merge-base', '--is-ancestor', base, tip.value.trim()]);
  return isGrown.ok ? { branch: branch.value.trim(), tip: tip.value.trim() } : undefined;
}

/** For the agent that continues there. */
export function describeLandedWork({ branch, tip, commits }: LandedWork): string {
  const names = commits.slice(0, maxNamed).map(shorten).join(', ');
  const more = commits.length > maxNamed ? ` and ${commits.length - maxNamed} more` : '';
  return (
    `Your earlier work has landed on ${branch} as ${names}${more}, and its worktree was removed. ` +
    `This worktree has the same path and branch and starts from ${branch} at ${shorten(tip)}: your work is in it, and ` +
    'whatever else has come to that branch since. Files may differ from what you read before. Only what you add from here on is still to be landed.'
  );
}

const maxNamed = 5;

export function shorten(commit: string): string {
  return commit.slice(0, 12);
}
