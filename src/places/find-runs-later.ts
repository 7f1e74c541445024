import { basename, dirname } from 'node:path';
import { isGitDirectory, makesGitDirectory } from '../workspace/git/directory.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { findGitRuns, type GitRun, findRepository } from './git-runs.ts';
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
      if (isGitDirectory(up)) return `${up} is a git directory`;
      // What the same command makes besides is not there yet: each part of one counts by itself.
      if (isPart(name, path))
        return `${name} may make ${up} a git directory, whose configuration runs programs`;
      const repository = findRepository(up);
      const run = repository && findGitRuns(repository, scopes).find((one) => isMeant(folded, one, up));
      if (run) return `${run.path} runs later: ${run.setting} in ${run.source} names it`;
      if (up === '/' || up === name) return undefined;
    }
  };
}

/** On it, below it, or a directory on the way to it, which could be moved or replaced together with it. */
function isMeant(folded: string, { path }: GitRun, top: string): boolean {
  const tops = foldName(top);
  return [path, resolveRealPath(path)].map(foldName).some((one) => {
    if (isWithin(folded, one)) return true;
    return isWithin(one, folded) && !isWithin(tops, folded);
  });
}

/** On the way to a file a directory may be called like a head; the file itself may not. */
function isPart(name: string, path: string): boolean {
  const isDirectory = name !== path;
  return makesGitDirectory(dirname(name), basename(name)) && !(isDirectory && isHead(name));
}

function isHead(path: string): boolean {
  return basename(path).toLowerCase() === 'head';
}
