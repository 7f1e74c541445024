import { basename, dirname, join } from '../../lib/files/exact-paths.ts';
import { listKnown } from '../../lib/told.ts';
import type { GitScopes } from '../../places/git-scopes.ts';
import { findProtectedEntries, listProtected } from '../../places/list-protected.ts';
import { foldName } from '../../places/paths.ts';
import { leads } from '../../places/protected-names.ts';
import { isGitDirectory } from '../../workspace/git/directory.ts';
import { isWithin } from '../../workspace/paths.ts';
import { findAgentWorktree } from '../checkouts-around.ts';
import { findGitPlaces, type GitPlace, listLegacyRemotes, unwantedAt } from '../git-places.ts';
import { listDirectories, listNames, readSmallText, statEntry } from './look.ts';
import { isInGit, isPlantedInGit, isProtectedName, maxPathLength } from './names.ts';

/** Protected paths around a command: existing ones, and its repositories, which it may commit to. */
export interface ProtectedPlaces {
  present: string[];
  git: GitPlace[];
}

/**
 * The directories whose protected names are guarded: the workspace's own, and those from there to the command's directory.
 */
export function guardedDirectories(roots: readonly string[], cwd: string): string[] {
  const found = new Set(roots);
  for (const root of roots)
    for (let directory = cwd; isWithin(directory, root) && directory !== root; directory = dirname(directory))
      found.add(directory);
  return [...found];
}

/** `known` are repositories that were found deeper in the workspace. */
export function findProtected(
  directories: readonly string[],
  roots: readonly string[],
  known: readonly string[],
  scopes?: GitScopes,
): ProtectedPlaces {
  const repositories = findRepositories(directories, roots, known);
  const git = repositories.flatMap((directory) => findGitPlaces(directory, roots, scopes));
  const isGit = (path: string) => git.some(({ directory }) => directory === path);
  // The file that leads to a repository; those around the command are found with the others.
  const leads = repositories
    .filter((directory) => !directories.includes(directory))
    .map((directory) => join(directory, '.git'))
    .filter((path) => statEntry(path)?.isFile());
  const present = directories.flatMap(listProtected).filter((path) => !isGit(path));
  return { present: [...present, ...leads], git };
}

/**
 * Directories that may hold repositories to which a command can commit. That of an agent's worktree also where the agent is
 * held to a directory below its top.
 */
export function findRepositories(
  directories: readonly string[],
  roots: readonly string[],
  known: readonly string[],
): string[] {
  const around = roots.flatMap((root) => findAgentWorktree(root) ?? []);
  return [...new Set([...directories, ...around, ...roots.flatMap(nestedRepositories), ...known])];
}

/**
 * Paths that must not appear beside a command. A link in place of a directory is itself the new path: its target is
 * elsewhere, and must not be touched from here.
 */
export function listExposed(directory: string): string[] {
  // One that cannot be listed is read-only, or was closed by the command, and is opened when its turn comes.
  const found = listKnown(
    findProtectedEntries(directory, (path) =>
      statEntry(path)?.isDirectory() ? listKnown(listNames(path)) : [],
    ),
  );
  const links = [...leads]
    .map((name) => join(directory, name))
    .filter((path) => statEntry(path)?.isSymbolicLink());
  // Git takes a directory with these for a repository and runs what its configuration names.
  const planted = isGitDirectory(directory) ? [join(directory, 'HEAD')] : [];
  return [...found, ...links, ...planted];
}

/** Finds the links in a git directory. */
export type FindLinks = (data: string) => readonly string[];

/** The same in a git directory. */
export function exposedInGit(
  { directory, guarded }: Pick<GitPlace, 'directory' | 'guarded'>,
  links: FindLinks,
): string[] {
  return [...guarded.flatMap(unwantedAt), ...listLegacyRemotes(directory), ...links(directory)];
}

/** Of the paths to remove, those that would be fine if they were not links. Guarded paths never are. */
export function onlyLinksAmong(
  paths: readonly string[],
  git: readonly Pick<GitPlace, 'directory' | 'guarded'>[],
): Set<string> {
  const isGuarded = (path: string) =>
    git.some(
      ({ directory, guarded }) =>
        guarded.some((one) => isWithin(path, one)) || listLegacyRemotes(directory).includes(path),
    );
  const isPlanted = (path: string) =>
    basename(path) === 'HEAD' && isInGit(dirname(path)) && isPlantedInGit(dirname(path));
  const isData = (path: string) =>
    path.length < maxPathLength &&
    git.some(({ directory }) => isWithin(path, directory)) &&
    !isGuarded(path) &&
    !isPlanted(path);
  return new Set(
    paths.filter((path) => {
      const name = basename(path);
      return !isProtectedName(dirname(path), name) && (leads.has(foldName(name)) || isData(path));
    }),
  );
}

/** Repositories directly below, all of them, and those that `.gitmodules` names. */
function nestedRepositories(root: string): string[] {
  const named = [...(readSmallText(join(root, '.gitmodules')) ?? '').matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)];
  const submodules = named
    .map((match) => join(root, match[1] ?? ''))
    .filter((path) => isWithin(path, root) && path !== root && statEntry(path)?.isDirectory());
  return [...listDirectories(root), ...submodules].filter(
    (path) => statEntry(join(path, '.git')) !== undefined,
  );
}
