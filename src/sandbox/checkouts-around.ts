import { basename, dirname, join } from '../lib/files/exact-paths.ts';
import { findMainRoot } from '../workspace/git/main-root.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { isBelow, statEntry } from './guard/look.ts';

/**
 * The checkouts that directories are below the top of, and their main ones: git reads there what it needs to know. Not one
 * that the home is in, nor one whose `.git` belongs to another user, which git refuses to use.
 */
export function listCheckoutsAround(directories: readonly string[], userHome: string): string[] {
  const home = resolveRealPath(userHome);
  const tops = directories.flatMap((directory) => findTopAbove(directory) ?? []);
  const found = [...tops, ...tops.map(findMainRoot).map(resolveRealPath)];
  return [...new Set(found)].filter((path) => !isBelow(home, path));
}

function findTopAbove(directory: string): string | undefined {
  const top = climb(directory, (path) => statEntry(join(path, '.git')) !== undefined);
  const isOwn = top !== undefined && statEntry(join(top, '.git'))?.uid === process.getuid?.();
  return isOwn && top !== directory ? top : undefined;
}

/** The worktree of an agent, `.cadre/worktrees/<name>`, that a directory is or is below. */
export function findAgentWorktree(directory: string): string | undefined {
  return climb(directory, isAgentWorktree);
}

/** By its location, since the agent controls its content. */
export function isAgentWorktree(directory: string): boolean {
  const above = dirname(directory);
  return basename(above) === 'worktrees' && basename(dirname(above)) === '.cadre';
}

function climb(directory: string, isWanted: (path: string) => boolean): string | undefined {
  for (let path = directory; ; path = dirname(path)) {
    if (isWanted(path)) return path;
    if (path === dirname(path)) return undefined;
  }
}
