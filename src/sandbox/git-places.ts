import { mkdirSync } from '../lib/files/exact-files.ts';
import { basename, dirname, join, resolve } from '../lib/files/exact-paths.ts';
import { readBounded } from '../lib/files/read-bounded.ts';
import { untold } from '../lib/told.ts';
import { gitGuarded, locateAlternates, locateBranches, locateExcludes } from '../places/git-guarded.ts';
import { findGitRuns } from '../places/git-runs.ts';
import type { GitScopes } from '../places/git-scopes.ts';
import {
  findCommonDirectory,
  findGitDirectory,
  isGitDirectory,
  landingName,
  readPointer,
} from '../workspace/git/directory.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { findAgentWorktree, isAgentWorktree } from './checkouts-around.ts';
import { isBelow, isKnownEmpty, listNames, statEntry } from './guard/look.ts';

/** A git directory that sandboxed commands may commit to, and the paths in it that they may not touch. */
export interface GitPlace {
  directory: string;
  /** Paths that git runs or is controlled by: read-only where they exist, removed when they appear. */
  guarded: string[];
  /** Directories of other repositories in it: read-only where they exist. */
  closed: string[];
  /** Directories in it that Cadre's own git works in: made where they are missing, kept while a command runs, read-only. */
  held: string[];
  /** The list of other object stores, which is made empty where it is missing, so that it can be read-only. */
  alternates?: string;
  /** If set, only these in it may be written, and the rest is read-only. */
  open?: string[];
  /** The file with the ignore rules of its work tree. */
  excludes?: string;
  /** Paths anywhere that git's configuration makes it run: links in them may lead into the workspace. */
  runs: string[];
}

/** Finds the paths that git's configuration makes it run, for a work tree and its git directories. */
type FindRuns = (top: string, gitDirectories: readonly string[]) => Pick<GitPlace, 'guarded' | 'runs'>;

/**
 * The data of the `.git` in a directory: itself, or the target of a worktree's file. A directory may also be a git directory
 * without that name. `roots` is where commands can write; without `scopes` no configuration is read.
 */
export function findGitPlaces(directory: string, roots: readonly string[], scopes?: GitScopes): GitPlace[] {
  const path = join(directory, '.git');
  const found = statEntry(path);
  const led: FindRuns = (top, gitDirectories) => {
    if (!scopes) return { guarded: [], runs: [] };
    const runs = [...new Set(findGitRuns({ top, gitDirectories }, scopes).map((run) => run.path))];
    return { guarded: runs.filter((one) => roots.some((root) => isBelow(one, root))), runs };
  };
  const bare = isGitDirectory(directory) ? [mainPlace(directory, led(directory, [directory]))] : [];
  if (found?.isDirectory()) return [mainPlace(path, led(directory, [path])), ...bare];
  if (!found?.isFile() && !found?.isSymbolicLink()) return bare;
  const named = findGitDirectory(directory);
  const target = named === undefined ? undefined : resolveRealPath(named);
  const own = target === undefined ? undefined : worktreeDirectory(path, target);
  const common = own === undefined ? undefined : commonDirectory(own);
  if (own !== undefined && common !== undefined)
    return [
      buildSharedPlace(common, directory, roots, led(directory, [own, common])),
      ...[worktreePlace(own), ...bare],
    ];
  // One in the workspace under another name can be written anyway: it needs the same guards.
  if (target === undefined || !isGitDirectory(target)) return bare;
  const runs = led(directory, [target]);
  const isOurs = roots.some((root) => isBelow(target, root)) || isOwnModule(directory, target);
  // Elsewhere it is read-only, but what it runs may be here.
  return [
    isOurs ? mainPlace(target, runs) : { ...runs, directory: target, closed: [], held: [], open: [] },
    ...bare,
  ];
}

/** Whether it is the data of a submodule in an agent's worktree, which has its own copy of it. */
function isOwnModule(directory: string, target: string): boolean {
  const top = findAgentWorktree(directory);
  const named = top === undefined ? undefined : findGitDirectory(top);
  if (top === undefined || named === undefined) return false;
  const own = worktreeDirectory(join(top, '.git'), resolveRealPath(named));
  return own !== undefined && isBelow(dirname(target), join(own, 'modules'));
}

function buildSharedPlace(
  common: string,
  directory: string,
  roots: readonly string[],
  led: ReturnType<FindRuns>,
): GitPlace {
  const branch = ownBranch(directory);
  if (branch !== undefined) return sharedPlace(common, branch, led);
  const place = mainPlace(common, led);
  // A main checkout outside the workspace is not the command's: git in the worktree writes a head of its own. The index is
  // not mounted, since the user's git replaces it all the time, and a mount does not follow.
  const isOurs = roots.some((root) => isBelow(common, root));
  return isOurs ? place : { ...place, closed: [...place.closed, ...inside(common, ['HEAD'])] };
}

/** Of the worktree of an agent. */
function ownBranch(directory: string): string | undefined {
  return isAgentWorktree(directory) ? join('refs', 'heads', 'cadre', basename(directory)) : undefined;
}

/** Commits on its own branch: settings, hooks and the branches of others are out of reach. */
function sharedPlace(directory: string, branch: string, led: ReturnType<FindRuns>): GitPlace {
  return {
    directory,
    ...led,
    closed: inside(directory, ['objects/info']),
    held: [],
    open: inside(directory, ['objects', branch, join('logs', branch), ...listStores(directory)]),
    excludes: locateExcludes(directory),
  };
}

/**
 * Where Git LFS keeps large files and writes each before it knows its name, also when git only compares: like git's objects
 * they are named by their content, and nothing there is run. As a whole: files are moved from one of its directories to another.
 */
function listStores(directory: string): string[] {
  return statEntry(join(directory, 'lfs'))?.isDirectory() === true ? ['lfs'] : [];
}

/** Git removes a branch's directory when it packs the branch; nothing could be mounted there then. */
export function prepareBranch(directory: string): void {
  const top = findAgentWorktree(directory);
  if (top === undefined) return;
  const [shared] = findGitPlaces(top, []);
  try {
    for (const path of shared?.open ?? []) mkdirSync(path, { recursive: true });
  } catch {
    // It stays read-only.
  }
}

function mainPlace(directory: string, { guarded, runs }: ReturnType<FindRuns>): GitPlace {
  return {
    directory,
    runs,
    guarded: [
      ...gitGuarded(directory),
      ...inside(directory, ['modules', ...newWorktrees(directory)]),
      ...guarded,
    ],
    closed: inside(directory, ownWork),
    held: inside(directory, ownWork),
    alternates: locateAlternates(directory),
    excludes: locateExcludes(directory),
  };
}

const worktreesName = 'worktrees';

/** Where Cadre has git make worktrees and write what lands, outside the sandbox and while commands may run. */
const ownWork = [worktreesName, landingName];

/** Where there are some, the directory is read-only. Where there are none, Cadre may make the first one meanwhile. */
function newWorktrees(directory: string): string[] {
  return statEntry(join(directory, worktreesName)) === undefined ? [worktreesName] : [];
}

/** Of a guarded path, what is not to be there: of a directory of worktrees only those that lead git elsewhere. */
export function unwantedAt(path: string): string[] {
  if (statEntry(path) === undefined) return [];
  const isOfWorktrees = basename(path) === worktreesName && statEntry(path)?.isDirectory();
  const names = isOfWorktrees ? listNames(path) : untold;
  if (names === untold) return [path];
  return names.map((name) => join(path, name)).filter((worktree) => !isPlainWorktree(worktree));
}

/** Whether `unwantedAt` names a path for a guarded one, or would if it existed: a command may remove it for a moment. */
export function isUnwantedBy(guarded: readonly string[], path: string): boolean {
  const above = dirname(path);
  const isOfWorktrees = basename(above) === worktreesName && guarded.includes(above);
  if (!isOfWorktrees && !guarded.includes(path)) return false;
  return statEntry(path) === undefined || unwantedAt(isOfWorktrees ? above : path).includes(path);
}

/**
 * Whether the data of a worktree is as git makes it: it takes its configuration, hooks and objects from the repository
 * that it is in, and has none of its own.
 */
export function isPlainWorktree(directory: string): boolean {
  const above = dirname(directory);
  if (basename(above) !== worktreesName) return false;
  const pointer = join(directory, 'commondir');
  const own = [...gitGuarded(directory), join(directory, 'modules')].filter(
    (path) => path !== pointer && statEntry(path) !== undefined,
  );
  if (own.some((path) => !isCopiedByGit(path, dirname(above)))) return false;
  const found = statEntry(pointer);
  if (!found) return !isGitDirectory(directory);
  // Git is about to write an empty one, and refuses to use it.
  const leadsBack = () =>
    found.size === 0 || resolveRealPath(findCommonDirectory(directory)) === resolveRealPath(dirname(above));
  return found.isFile() && leadsBack();
}

/** With `extensions.worktreeConfig` (sparse checkouts) git gives a new worktree a copy of the repository's own settings. */
function isCopiedByGit(path: string, repository: string): boolean {
  if (basename(path) !== worktreeSettings) return false;
  const [copy, original] = [path, join(repository, worktreeSettings)].map((one) =>
    readBounded(one, maxSettings, { refusesLinks: true }),
  );
  return copy?.state === 'read' && original?.state === 'read' && copy.bytes.equals(original.bytes);
}

const worktreeSettings = 'config.worktree';
const maxSettings = 1024 * 1024;

export function listLegacyRemotes(directory: string): string[] {
  const branches = locateBranches(directory);
  const names = listNames(branches);
  return names === untold ? [branches] : names.map((name) => join(branches, name));
}

/** Git's templates create it, and it is not used. A mount would cost every command; files that appear in it are removed. */
export function isEmptyBranches(path: string): boolean {
  return basename(path) === 'branches' && statEntry(path)?.isDirectory() === true && isKnownEmpty(path);
}

/** The same names as in any git directory, whether git reads them here today or not, and the way back to its work tree. */
function worktreePlace(directory: string): GitPlace {
  return {
    directory,
    guarded: [...gitGuarded(directory), ...inside(directory, ['gitdir', 'modules'])],
    closed: [],
    held: [],
    runs: [],
  };
}

function inside(directory: string, names: string[]): string[] {
  return names.map((name) => join(directory, name));
}

/**
 * Trusted only where that place points back, as git itself leaves it: otherwise any file from an archive could open any
 * directory for writing.
 */
function worktreeDirectory(file: string, directory: string): string | undefined {
  const back = readPointer(join(directory, 'gitdir'));
  return back !== undefined && resolveRealPath(resolve(directory, back)) === resolveRealPath(file)
    ? directory
    : undefined;
}

function commonDirectory(own: string): string | undefined {
  const common = resolveRealPath(findCommonDirectory(own));
  const isCommon = dirname(own) === join(common, 'worktrees') && basename(common) !== '';
  return isCommon &&
    statEntry(join(common, 'HEAD'))?.isFile() &&
    statEntry(join(common, 'objects'))?.isDirectory()
    ? common
    : undefined;
}
