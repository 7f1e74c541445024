import { resolve } from 'node:path';
import { isLossy } from '../lib/text/utf8.ts';
import { goesUp, isWithin } from '../workspace/paths.ts';
import type { CallWorkspace } from './types.ts';

/** A path as it was given and as symlinks lead: what grants must hold for both, what refuses for either. */
export interface ResolvedPath {
  readonly given: string;
  readonly real: string;
}

export function resolvePath(path: string, workspace: CallWorkspace): ResolvedPath {
  return { given: path, real: workspace.realPath(path) };
}

/**
 * Where a path that a command is given leads, without `..`: behind a link that is the parent of the link's target, to
 * the kernel; git and `cd` may fold the text instead. Where the two differ, both count.
 */
export function settlePath(path: string, workspace: Pick<CallWorkspace, 'realPath'>): string[] {
  if (!goesUp(path)) return [path];
  const folded = resolve(path);
  const head = /^.*\/\.\.(?=\/|$)/s.exec(path)?.[0] ?? '/';
  const real = workspace.realPath(head);
  if (real === workspace.realPath(resolve(head))) return [folded];
  return [...new Set([folded, resolve(`${real}/${path.slice(head.length)}`)])];
}

/** The same workspace, asking for each path once: many rules look at the same few. */
export function rememberPaths(workspace: CallWorkspace): CallWorkspace {
  const { openPaths, look, ...rest } = workspace;
  // What is seen for one decision is not used for the next: a call may have changed it in between.
  const seen = look?.open?.() ?? look;
  const names = seen ? { look: { ...seen, otherNames: remember(seen.otherNames) } } : {};
  // One look for all who ask: nobody who is handed this looks again.
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

/**
 * Inside one of the directories by name and by target. A directory may itself be behind a symlink. A name that is not
 * valid UTF-8 is inside none: it cannot be told whether it is a link.
 */
export function isInside(
  path: ResolvedPath,
  directories: readonly string[],
  workspace: CallWorkspace,
): boolean {
  if (isLossy(path.given) || isLossy(path.real)) return false;
  return directories.some((directory) => {
    const real = workspace.realPath(directory);
    return (isWithin(path.given, directory) || isWithin(path.given, real)) && isWithin(path.real, real);
  });
}

/** For comparisons that refuse: some file systems take names that differ in case or composition as one. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
