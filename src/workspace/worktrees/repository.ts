import { existsSync, lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { type GitOptions, git } from '../git/git.ts';
import { findMainRoot } from '../git/main-root.ts';
import { resolveRealPath } from '../real-path.ts';
import { repeatMeanwhile } from './half-made.ts';

/** The environment that working with worktrees needs. */
export interface WorktreeWorld {
  /** Our own state directory. */
  home: string;
  env: Record<string, string>;
  clock: Clock;
  /** Filters of the repository that the user has trusted: as in `GitOptions`. */
  trustsFilter?: GitOptions['trustsFilter'];
  /** As in `GitOptions`. */
  startFilters?: GitOptions['startFilters'];
  /** For reading only: as in `GitOptions`. */
  objects?: GitOptions['objects'];
  /** For reading only: stops git, and so the look. Changes must not be interrupted at any point. */
  signal?: AbortSignal;
  /** Fails once another process has the session that acts here: then nothing is changed, and no lock taken. */
  check?(): Result<void>;
  /** Called at each step before the next one begins. For tests of what a crash leaves behind. */
  step?(name: string): void;
}

export interface Repository {
  /** The top of the given checkout. */
  top: string;
  /** The top of the main checkout, below which our worktrees are. */
  main: string;
  /** The git directory that all its worktrees share. */
  common: string;
}

/** Fails where nothing may be changed. Ask right before each change that git does not make. */
export function checkWorld({ check }: Pick<WorktreeWorld, 'check'>): Result<void> {
  return check?.() ?? ok(undefined);
}

/** The repository around a directory. If no worktree can be made of it, the reason says what is missing. */
export async function findRepository(cwd: string, world: WorktreeWorld): Promise<Result<Repository>> {
  if (!existsSync(cwd)) return usage(`${cwd}: no such directory.`);
  const git = bindGit(world, cwd);
  const found = await git(['rev-parse', '--show-toplevel']);
  if (!found.ok) {
    const isMissing = /not a git repository/.test(found.problem.message);
    const isBare = /bare repository|must be run in a work tree/.test(found.problem.message);
    if (isMissing)
      return usage(`${cwd} is not in a git repository, which a worktree needs.`, 'Create one with git init.');
    return isBare ? usage(`${cwd} is a bare repository: it has no main checkout.`) : found;
  }
  // Asked one by one: a path may contain a newline.
  const common = await git(['rev-parse', '--git-common-dir']);
  if (!common.ok) return common;
  const top = resolveRealPath(oneLine(found.value));
  const shared = resolveRealPath(resolve(cwd, oneLine(common.value)));
  return ok({ top, main: resolveRealPath(findMainRoot(top)), common: shared });
}

/** Git's output without the trailing newline. */
export function oneLine(output: string): string {
  return output.replace(/\n$/, '');
}

/** The commit that a name resolves to. */
export async function resolveCommit(
  name: string,
  cwd: string,
  world: WorktreeWorld,
): Promise<Result<string>> {
  const found = await bindGit(
    world,
    cwd,
  )(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  if (found.ok) return ok(found.value.trim());
  return name === 'HEAD'
    ? usage(
        `The repository in ${cwd} has no commit yet, so there is nothing to start from.`,
        'Make a first commit.',
      )
    : usage(`${name} is not a commit of the repository in ${cwd}.`, 'Name a branch, a tag or a commit.');
}

export type Git = (
  args: readonly string[],
  more?: Pick<
    GitOptions,
    'input' | 'indexFile' | 'alsoGood' | 'timeoutMs' | 'workTree' | 'bytes' | 'transports' | 'plainNames'
  >,
) => Promise<Result<string>>;

export function bindGit(world: WorktreeWorld, cwd: string): Git {
  const { env, clock, objects, signal, trustsFilter, startFilters } = world;
  const looking = { ...(objects ? { objects } : {}), ...(signal ? { signal } : {}) };
  const filters = { trustsFilter, startFilters };
  return (args, more) => {
    const run = () => git(args, { cwd, env, clock, timeoutMs: 120_000, ...filters, ...looking, ...more });
    // It may have made the branch before it failed, which has to be removed before a worktree is added again.
    const leavesBranch = args[0] === 'worktree' && args.includes('-b');
    return leavesBranch ? run() : repeatMeanwhile(clock, run);
  };
}

/** The directory of our worktrees. A link on the way would put them, and what is removed with them, somewhere else. */
export function worktreesDirectory({ main }: Repository): Result<string> {
  for (const path of [join(main, '.cadre'), join(main, '.cadre', 'worktrees')]) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && !found.isDirectory())
      return failure(`${path} is not a directory; worktrees are created there.`, 'Move it elsewhere.');
  }
  return ok(join(main, '.cadre', 'worktrees'));
}

/** A worktree's own data in the shared git directory: the entry that points to this path. */
export function findAdministration(common: string, path: string): string | undefined {
  const directory = join(common, 'worktrees');
  return listNames(directory)
    .map((name) => join(directory, name))
    .find((own) => {
      const pointed = readQuietly(join(own, 'gitdir'))?.trim();
      return pointed !== undefined && dirname(resolve(own, pointed)) === path;
    });
}

export interface Checkout {
  /** The path that git reports. For the first one this may be the git directory, where that is not in the checkout. */
  path: string;
  /** The branch that is checked out in it, if one is. */
  branch?: string;
  isBare: boolean;
}

/** The checkouts of a repository; the main one first. */
export async function listCheckouts(git: Git): Promise<Result<Checkout[]>> {
  const listed = await git(['worktree', 'list', '--porcelain', '-z']);
  if (!listed.ok) return listed;
  return ok(
    listed.value
      .split('\0\0')
      .filter((text) => text !== '')
      .map((text) => {
        const fields = text.split('\0');
        const field = (name: string) =>
          fields.find((one) => one.startsWith(`${name} `))?.slice(name.length + 1);
        const branch = field('branch')?.replace(/^refs\/heads\//, '');
        const path = field('worktree') ?? '';
        return { path, ...(branch === undefined ? {} : { branch }), isBare: fields.includes('bare') };
      }),
  );
}

/** The paths of all worktrees that git knows, except the main one. */
export function administered(common: string): string[] {
  const directory = join(common, 'worktrees');
  return listNames(directory).flatMap((name) => {
    const pointed = readQuietly(join(directory, name, 'gitdir'))?.trim();
    return pointed === undefined ? [] : [dirname(resolve(directory, name, pointed))];
  });
}

const maxText = 8 * 1024 * 1024;

export function readQuietly(path: string): string | undefined {
  return readBoundedText(path, maxText);
}
