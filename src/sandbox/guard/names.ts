import type { DirectoryEntry } from '../../lib/files/exact-files.ts';
import { basename, join, joinName, pathLength } from '../../lib/files/exact-paths.ts';
import { foldName } from '../../places/paths.ts';
import { holders, leads, mayBeProtected, protectedName } from '../../places/protected-names.ts';
import { isGitDirectory } from '../../workspace/git/directory.ts';
import { isForeignToGit } from '../../workspace/git/walk.ts';
import { isPlainWorktree } from '../git-places.ts';

/** Whether a name is protected where it stands: by itself, or together with the directory's own name. */
export function isProtectedName(directory: string, name: string): boolean {
  if (mayBeProtected(name) && protectedName(`/${name}`) !== undefined) return true;
  const above = basename(directory);
  return holders.has(foldName(above)) && protectedName(`/${above}/${name}`) !== undefined;
}

export interface SortedEntries {
  met: string[];
  /** Directories to look into. */
  deeper: string[];
  /** Directories in which some paths would be too long for the kernel: nobody can look there by name. */
  tooLong: string[];
  /** In git's data all links, pipes and devices, unless a directory is not to be looked into: then they cannot be told. */
  links?: string[] | undefined;
}

/**
 * What is protected of a directory's entries, and the directories to look into. A link in the place of a directory that
 * holds protected ones counts as what is behind it. So does the head of a git directory with a name of its own: git
 * takes it for a repository and runs what its configuration names.
 */
export function sortEntries(directory: string, entries: readonly DirectoryEntry[]): SortedEntries {
  const met: string[] = [];
  const deeper: string[] = [];
  const tooLong: string[] = [];
  const isGit = isInGit(directory);
  for (const entry of entries) {
    const path = joinName(directory, entry.name);
    const isLead = entry.isSymbolicLink() && leads.has(foldName(entry.name));
    // A branch may be called as it likes, but for a dot at the beginning.
    const isBranch = isGit && !entry.name.startsWith('.');
    if (!isBranch && (isLead || isProtectedName(directory, entry.name))) met.push(path);
    else if (entry.isDirectory()) (isTooLong(path) ? tooLong : deeper).push(path);
  }
  const heads = isRepositoryOfItsOwn(directory, entries) ? [join(directory, 'HEAD')] : [];
  const links = isGit ? linksAmong(directory, entries, deeper) : undefined;
  return { met: [...met, ...heads], deeper, tooLong, links };
}

/** In git's data, too, a directory can be one: a `.git` file anywhere may lead there. A worktree's data is no repository. */
function isRepositoryOfItsOwn(directory: string, entries: readonly DirectoryEntry[]): boolean {
  // Nearly no directory has a head; how its name is to be written is for the file system to say.
  const mayBeBare = entries.some(({ name }) => name.length === 4 && foldName(name) === 'head');
  if (!mayBeBare) return false;
  return isInGit(directory) ? isPlantedInGit(directory) : isGitDirectory(directory);
}

/** Whether a directory among git's data is a repository by itself. */
export function isPlantedInGit(directory: string): boolean {
  return basename(directory) !== '.git' && isGitDirectory(directory) && !isPlainWorktree(directory);
}

/** Directories that are protected themselves are not looked into, and a path that is too long cannot be. */
function linksAmong(directory: string, entries: readonly DirectoryEntry[], deeper: string[]): string[] | undefined {
  if (entries.filter((entry) => entry.isDirectory()).length !== deeper.length) return undefined;
  return entries.filter(isForeignToGit).map(({ name }) => join(directory, name));
}

export function isInGit(directory: string): boolean {
  return `${directory}/`.includes('/.git/');
}

/** A path of more bytes cannot be added to: the kernel takes 4095. */
export const maxPathLength = 3800;

export function isTooLong(path: string): boolean {
  // A character has three bytes at most for each part of it that a string counts.
  return path.length * 3 > maxPathLength && pathLength(path) > maxPathLength;
}

/** Packages bring settings along that nobody uses. */
export function isInstalled(path: string): boolean {
  return /\/(?:node_modules|site-packages|vendor)\//.test(`${path}/`);
}
