import { basename, dirname, join, resolve } from 'node:path';
import { realPathOf } from '../../workspace/real-path.ts';
import { entryAt, textAt } from './look.ts';

/** A git directory that confined commands may commit to, and what in it they may not touch. */
export interface GitPlace {
  directory: string;
  /** What git runs or is led by: read-only where it is there, taken away when it appears. */
  guarded: string[];
  /** Directories of other repositories in it: read-only where they are there. */
  closed: string[];
}

/** What belongs to the `.git` in a directory: itself, or what a worktree's file points to. */
export function gitPlacesOf(directory: string): GitPlace[] {
  const path = join(directory, '.git');
  const found = entryAt(path);
  if (found?.isDirectory()) return [mainPlace(path)];
  const own = found?.isFile() ? worktreeDirectory(path) : undefined;
  const common = own === undefined ? undefined : commonDirectory(own);
  if (own === undefined || common === undefined) return [];
  return [mainPlace(common), worktreePlace(own)];
}

function mainPlace(directory: string): GitPlace {
  return {
    directory,
    guarded: inside(directory, ['config', 'config.worktree', 'hooks', 'info/attributes', 'commondir']),
    closed: inside(directory, ['modules', 'worktrees']),
  };
}

function worktreePlace(directory: string): GitPlace {
  return {
    directory,
    guarded: inside(directory, ['config', 'config.worktree', 'commondir', 'gitdir', 'hooks']),
    closed: inside(directory, ['modules']),
  };
}

function inside(directory: string, names: string[]): string[] {
  return names.map((name) => join(directory, name));
}

/**
 * Where a worktree's `.git` file points. It is believed only where that place points back, as git itself leaves it:
 * otherwise any file from an archive could open any directory for writing.
 */
function worktreeDirectory(file: string): string | undefined {
  const target = /^gitdir: (.+?)\n?$/.exec(textAt(file) ?? '')?.[1];
  if (target === undefined) return undefined;
  const directory = realPathOf(resolve(dirname(file), target));
  const back = textAt(join(directory, 'gitdir'))?.trim();
  return back !== undefined && realPathOf(resolve(directory, back)) === realPathOf(file)
    ? directory
    : undefined;
}

function commonDirectory(own: string): string | undefined {
  const common = realPathOf(resolve(own, textAt(join(own, 'commondir'))?.trim() ?? '.'));
  const isCommon = dirname(own) === join(common, 'worktrees') && basename(common) !== '';
  return isCommon &&
    entryAt(join(common, 'HEAD'))?.isFile() &&
    entryAt(join(common, 'objects'))?.isDirectory()
    ? common
    : undefined;
}
