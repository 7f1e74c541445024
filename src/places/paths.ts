import { resolve } from 'node:path';
import { isLossy } from '../lib/text/utf8.ts';
import { goesUp, isWithin } from '../workspace/paths.ts';
import { isFollowed } from '../workspace/real-path.ts';
import type { CallWorkspace, OwnPlace } from './types.ts';

/** A path as given and with symlinks resolved: a grant must hold for both, a refusal for either. */
export interface ResolvedPath {
  readonly given: string;
  readonly real: string;
}

export function resolvePath(path: string, workspace: CallWorkspace): ResolvedPath {
  return { given: path, real: workspace.realPath(path) };
}

/**
 * The resolved target of a path in a command, without `..`: behind a link, the kernel takes the parent of the link's target;
 * git and `cd` may fold the text instead. Where the two differ, both are returned.
 */
export function settlePath(path: string, workspace: Pick<CallWorkspace, 'realPath'>): string[] {
  if (!goesUp(path)) return [path];
  const folded = resolve(path);
  const head = /^.*\/\.\.(?=\/|$)/s.exec(path)?.[0] ?? '/';
  const real = workspace.realPath(head);
  if (real === workspace.realPath(resolve(head))) return [folded];
  return [...new Set([folded, resolve(`${real}/${path.slice(head.length)}`)])];
}

/** The same workspace, but each path is resolved once: many rules look at the same few. */
export function rememberPaths(workspace: CallWorkspace): CallWorkspace {
  const { openPaths, look, ...rest } = workspace;
  // Findings of one decision are not used for the next: a call may have changed it in between.
  const seen = look?.open?.() ?? look;
  const names = seen ? { look: { ...seen, otherNames: remember(seen.otherNames) } } : {};
  // One look for all users of this workspace.
  if (openPaths) return { ...rest, ...names, realPath: openPaths() };
  return { ...workspace, ...names, realPath: remember(workspace.realPath) };
}

function remember<T>(look: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined || known.has(path)) return before as T;
    const found = look(path);
    known.set(path, found);
    return found;
  };
}

/** Whether it is known which file or directory a path means. */
export function isTold({ given, real }: ResolvedPath): boolean {
  return isFollowed(given, real);
}

/**
 * Inside one of the directories by name and by target. A directory may itself be behind a symlink, and one that cannot be
 * followed contains nothing. A name that is not valid UTF-8 is inside none, because it may be a link.
 */
export function isInside(
  path: ResolvedPath,
  directories: readonly string[],
  workspace: CallWorkspace,
): boolean {
  if (isLossy(path.given) || isLossy(path.real)) return false;
  return directories.some((directory) => {
    const real = workspace.realPath(directory);
    if (!isTold({ given: directory, real })) return false;
    return (isWithin(path.given, directory) || isWithin(path.given, real)) && isWithin(path.real, real);
  });
}

/** Inside an agent's own directory, where that was when the agent started. */
export function isInOwnPlace(path: ResolvedPath, { path: named, real }: OwnPlace): boolean {
  if (isLossy(path.given) || isLossy(path.real) || !isTold(path)) return false;
  return (isWithin(path.given, named) || isWithin(path.given, real)) && isWithin(path.real, real);
}

/** For comparisons that refuse: some file systems treat names that differ in case or composition as one. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
