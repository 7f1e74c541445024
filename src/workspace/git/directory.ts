import { statEntry, statTarget } from '../../lib/files/entry-at.ts';
import { basename, decodePath, dirname, join, resolve } from '../../lib/files/exact-paths.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { resolveRealPath } from '../real-path.ts';

/**
 * The data of a checkout: `.git` itself, or the directory it names where it is a file, as in worktrees and submodules.
 * Follows links, as git does.
 */
export function findGitDirectory(root: string): string | undefined {
  const place = join(root, '.git');
  if (isDirectory(place)) return place;
  const named = /^gitdir: ([\s\S]+)$/.exec(readPointer(place) ?? '')?.[1];
  return named === undefined ? undefined : resolve(dirname(place), named);
}

/** The directory that a linked worktree shares with the others; its own directory where it shares nothing. */
export function findCommonDirectory(own: string): string {
  const named = readPointer(join(own, 'commondir'));
  return named === undefined ? own : resolve(own, named);
}

/** The same as git lays it out: a pointer anywhere else may be the work of a command. */
export function findLaidOutCommon(own: string): string {
  const above = dirname(own);
  return basename(above) === 'worktrees' ? findCommonDirectory(own) : own;
}

/** In a repository's git directory: where the files of a landing wait. No sandboxed command can write there. */
export const landingName = 'cadre-landing';

/** The git directory of a checkout; for a linked worktree also the shared one, which is that of the main checkout. */
export function listGitDirectories({ own, shared }: { own: string; shared: string }): string[] {
  return resolveRealPath(own) === resolveRealPath(shared) ? [own] : [own, shared];
}

/** A file that contains only a path, which may have newlines in it; trailing ones are ignored. */
export function readPointer(file: string): string | undefined {
  const read = readBounded(file, maxPointer);
  return read.state === 'read' ? decodePath(read.bytes).replace(/[\r\n]+$/, '') : undefined;
}

/** Git's own limit. */
const maxPointer = 1024 * 1024;

function isDirectory(path: string): boolean {
  return statTarget(path)?.isDirectory() === true;
}

/**
 * Whether git, run in a directory, takes the directory itself for a repository, and runs what its configuration names. Git's
 * own rule, by names alone: a head, with objects and references beside it or in the place that `commondir` names. The content
 * of the head is not checked: it can be changed without a trace in the directory.
 */
export function isGitDirectory(directory: string): boolean {
  const has = (name: string) => statEntry(join(directory, name)) !== undefined;
  return hasHead(directory) && (has('commondir') || (has('objects') && has('refs')));
}

/**
 * Whether a new name in a directory could complete it to a git directory. Nothing is a git directory without a head, so a
 * head is enough; where one exists, so is any other part.
 */
export function makesGitDirectory(directory: string, name: string): boolean {
  const folded = name.toLowerCase();
  return folded === 'head' || (gitParts.includes(folded) && hasHead(directory));
}

/** Besides its head, git recognizes its own directories by these. */
export const gitParts: readonly string[] = ['objects', 'refs', 'commondir'];

function hasHead(directory: string): boolean {
  return statEntry(join(directory, 'HEAD'))?.isDirectory() === false;
}
