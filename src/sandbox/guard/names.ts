import type { DirectoryEntry } from '../../lib/files/exact-files.ts';
import { basename, join, joinName, pathLength } from '../../lib/files/exact-paths.ts';
import { foldName } from '../../places/paths.ts';
import { holders, leads, mayBeProtected, protectedName } from '../../places/protected-names.ts';
import { isGitDirectory } from '../../workspace/git/directory.ts';
import { isForeignToGit } from '../../workspace/git/walk.ts';
import { isPlainWorktree } from '../git-places.ts';

/** Whether a name is protected in its place: alone, or together with the directory's own name. */
export function isProtectedName(directory: string, name: string): boolean {
  if (mayBeProtected(name) && protectedName(`/${name}`) !== undefined) return true;
  const above = basename(directory);
  return holders.has(foldName(above)) && protectedName(`/${above}/${name}`) !== undefined;
}

export interface SortedEntries {
  met: string[];
  /** Directories to look into. */
  deeper: string[];
  /** Directories in which some paths would be too long for the kernel: they cannot be read by name. */
  tooLong: string[];
  /** In git's data all links, pipes and devices; undefined where a directory must not be entered. */
  links?: string[] | undefined;
}

/**
 * The protected entries of a directory, and the directories to look into. A link in the place of a directory that contains
 * protected ones is treated like its target. So is the head of a git directory with another name: git takes it for a
 * repository and runs what its configuration names.
 */
export function sortEntries(directory: string, entries: readonly DirectoryEntry[]): SortedEntries {
  const met: string[] = [];
  const deeper: string[] = [];
  const tooLong: string[] = [];
  const isGit = isInGit(directory);
  for (const entry of entries) {
    const path = joinName(directory, entry.name);
    const isLead = entry.isSymbolicLink() && leads.has(foldName(entry.name));
    // A branch may have any name, except with a dot at the beginning.
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
  // Hardly any directory has a head; the file system decides how its name may be written.
  const mayBeBare = entries.some(({ name }) => name.length === 4 && foldName(name) === 'head');
  if (!mayBeBare) return false;
  return isInGit(directory) ? isPlantedInGit(directory) : isGitDirectory(directory);
}

/** Whether a directory among git's data is a repository by itself. */
export function isPlantedInGit(directory: string): boolean {
  return basename(directory) !== '.git' && isGitDirectory(directory) && !isPlainWorktree(directory);
}

/** Directories that are protected themselves are not searched, and a path that is too long cannot be. */
function linksAmong(
  directory: string,
  entries: readonly DirectoryEntry[],
  deeper: string[],
): string[] | undefined {
  if (entries.filter((entry) => entry.isDirectory()).length !== deeper.length) return undefined;
  return entries.filter(isForeignToGit).map(({ name }) => join(directory, name));
}

export function isInGit(directory: string): boolean {
  return `${directory}/`.includes('/.git/');
}

/** A longer path cannot be extended: the kernel accepts 4095 bytes. */
export const maxPathLength = 3800;

export function isTooLong(path: string): boolean {
  // A string's character has at most three bytes per code unit.
  return path.length * 3 > maxPathLength && pathLength(path) > maxPathLength;
}

/** Packages contain settings that are not used. */
export function isInstalled(path: string): boolean {
  return /\/(?:node_modules|site-packages|vendor)\//.test(`${path}/`);
}
