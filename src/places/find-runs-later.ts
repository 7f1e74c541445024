import { basename, dirname } from 'node:path';
import { isGitDirectory, makesGitDirectory } from '../workspace/git/directory.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { findGitRuns, findRepository, type GitRun } from './git-runs.ts';
import { GitScopes, type GitSurroundings } from './git-scopes.ts';
import type { LedPlace } from './led-places.ts';
import { foldName } from './paths.ts';
import { ProtectedTargets } from './protected-targets.ts';
import type { FindRunsLater } from './types.ts';

/**
 * Finds the meaning of a path in git's configuration: for every repository around it, hooks, included files and commands of
 * every scope; and whether something protected in the workspace or the home leads there. No process is started, and configuration is read again only when it changed: a look takes a fraction of a
 * millisecond.
 */
export function openRunsLater(around: GitSurroundings & { home?: string }): FindRunsLater {
  const scopes = new GitScopes(around);
  const targets = new ProtectedTargets(scopes, around.home);
  return (path, roots = []) => {
    const folded = foldName(path);
    for (let name = path, up = dirname(path); ; name = up, up = dirname(up)) {
      if (isGitDirectory(up)) return `${up} is a git directory`;
      // Other files that the same command makes do not exist yet: each part is judged alone.
      if (isPart(name, path))
        return `${name} may make ${up} a git directory, whose configuration runs programs`;
      const repository = findRepository(up);
      const run = repository && findGitRuns(repository, scopes).find((one) => isMeant(folded, one, up));
      if (run) return `${run.path} runs later: ${run.setting} in ${run.source} names it`;
      if (up === '/' || up === name) break;
    }
    const led = findLed(path, targets.find(roots), roots);
    return led && explainLed(led);
  };
}

function explainLed({ path, by }: LedPlace): string {
  return path === by
    ? `${path} runs later: it belongs to the user's own configuration`
    : `${path} runs later: ${by} points to it`;
}

/** Where something protected leads to, or what it leads through. A workspace as a whole is never meant. */
export function findLed(
  path: string,
  places: readonly LedPlace[],
  roots: readonly string[],
): LedPlace | undefined {
  const folded = foldName(path);
  const tops = [...roots, ...roots.map(resolveRealPath)].map(foldName);
  const holdsRoot = (one: string) => tops.some((top) => isWithin(top, one));
  return places.find((place) => {
    const end = foldName(place.path);
    if (isWithin(folded, end)) return !holdsRoot(end);
    const isOnWay = isWithin(end, folded) || place.way.some((name) => foldName(name) === folded);
    return isOnWay && !holdsRoot(folded);
  });
}

/** At it, below it, or a directory on the way to it, which could be moved or replaced together with it. */
function isMeant(folded: string, { path }: GitRun, top: string): boolean {
  const tops = foldName(top);
  return [path, resolveRealPath(path)].map(foldName).some((one) => {
    if (isWithin(folded, one)) return true;
    return isWithin(one, folded) && !isWithin(tops, folded);
  });
}

/** A directory on the way to a file may be named like a head; the file itself may not. */
function isPart(name: string, path: string): boolean {
  const isDirectory = name !== path;
  return makesGitDirectory(dirname(name), basename(name)) && !(isDirectory && isHead(name));
}

function isHead(path: string): boolean {
  return basename(path).toLowerCase() === 'head';
}
