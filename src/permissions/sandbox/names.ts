import type { Dirent } from 'node:fs';
import { basename, join } from 'node:path';
import { isGitDirectory } from '../../workspace/git-directory.ts';
import { foldName } from '../paths.ts';
import { holders, leads, mayBeProtected, protectedName } from '../protected-names.ts';

/** Whether a name is protected where it stands: by itself, or together with the directory's own name. */
export function isProtectedIn(directory: string, name: string): boolean {
  if (mayBeProtected(name) && protectedName(`/${name}`) !== undefined) return true;
  const above = basename(directory);
  return holders.has(foldName(above)) && protectedName(`/${above}/${name}`) !== undefined;
}

export interface SortedEntries {
  met: string[];
  /** Directories to look into. */
  deeper: string[];
  /** In git's data all links, unless a directory is not to be looked into: then they cannot be told. */
  links?: string[] | undefined;
}

/**
 * What is protected of a directory's entries, and the directories to look into. A link in the place of a directory that
 * holds protected ones counts as what is behind it. So does the head of a git directory with a name of its own: git
 * takes it for a repository and runs what its configuration names.
 */
export function sortEntries(directory: string, entries: readonly Dirent[]): SortedEntries {
  const met: string[] = [];
  const deeper: string[] = [];
  const isGit = isInGit(directory);
  for (const entry of entries) {
    const path = join(directory, entry.name);
    const isLead = entry.isSymbolicLink() && leads.has(foldName(entry.name));
    // A branch may be called as it likes, but for a dot at the beginning.
    const isBranch = isGit && !entry.name.startsWith('.');
    if (!isBranch && (isLead || isProtectedIn(directory, entry.name))) met.push(path);
    else if (entry.isDirectory()) deeper.push(path);
  }
  if (isGit) return { met, deeper, links: linksAmong(directory, entries, deeper) };
  // Nearly no directory has a head; how its name is to be written is for the file system to say.
  const mayBeBare = entries.some((entry) => foldName(entry.name) === 'head');
  return { met: mayBeBare && isGitDirectory(directory) ? [...met, join(directory, 'HEAD')] : met, deeper };
}

/** Directories that are protected themselves are not looked into, and a path that is too long cannot be. */
function linksAmong(directory: string, entries: readonly Dirent[], deeper: string[]): string[] | undefined {
  const isWhole =
    entries.filter((entry) => entry.isDirectory()).length === deeper.length &&
    deeper.every((path) => Buffer.byteLength(path) <= longestPath);
  if (!isWhole) return undefined;
  return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(directory, name));
}

export function isInGit(directory: string): boolean {
  return `${directory}/`.includes('/.git/');
}

/** A path of this length cannot be added to. */
export const longestPath = 3800;

/** Packages bring settings along that nobody uses. */
export function isInstalled(path: string): boolean {
  return /\/(?:node_modules|site-packages|vendor)\//.test(`${path}/`);
}
