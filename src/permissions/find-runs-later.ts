import { dirname, join } from 'node:path';
import { isWithin } from '../workspace/paths.ts';
import { realPathOf } from '../workspace/real-path.ts';
import { findGitRuns, type GitRun, isGitDirectory, repositoryAt } from './git-runs.ts';
import { GitScopes, type GitSurroundings } from './git-scopes.ts';
import { foldName } from './paths.ts';
import type { FindRunsLater } from './types.ts';

/**
 * Looks for what git's configuration makes of a path: for every repository around it, hooks, included files and commands of
 * every scope. No process is started, and configuration is read again only when it changed: a look takes a fraction of a
 * millisecond.
 */
export function openRunsLater(around: GitSurroundings): FindRunsLater {
  const scopes = new GitScopes(around);
  return (path) => {
    const folded = foldName(path);
    for (let name = path, up = dirname(path); ; name = up, up = dirname(up)) {
      // Found in two ways: one that exists, and one that this write would complete.
      if (isGitDirectory(up, nameIn(up, name))) return `${up} is a git directory`;
      const repository = repositoryAt(up);
      const run = repository && findGitRuns(repository, scopes).find((one) => isMeant(folded, one, up));
      if (run) return `${run.path} runs later: ${run.setting} in ${run.source} names it`;
      if (up === '/' || up === name) return undefined;
    }
  };
}

/** On it, below it, or a directory on the way to it, which could be moved or replaced together with it. */
function isMeant(folded: string, { path }: GitRun, top: string): boolean {
  const tops = foldName(top);
  return [path, realPathOf(path)].map(foldName).some((one) => {
    if (isWithin(folded, one)) return true;
    return isWithin(one, folded) && !isWithin(tops, folded);
  });
}

function nameIn(directory: string, path: string): string {
  return path.slice(join(directory, '/').length);
}
