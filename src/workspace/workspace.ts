import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** The top of the git work tree that holds `cwd`, or undefined. Looks for `.git` only: git itself is not run. */
export function findRoot(cwd: string): string | undefined {
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    if (exists(join(directory, '.git'))) return directory;
    if (directory === dirname(directory)) return undefined;
  }
}

/** Absolute and normalised. Symlinks are not followed: that is `realPathOf`. */
export function resolvePath(cwd: string, path: string, home?: string): string {
  if (home !== undefined && (path === '~' || path.startsWith(`~${sep}`))) return resolve(home, path.slice(2));
  return resolve(cwd, path);
}

/** By component: `/work` holds `/work/a` and itself, not `/work-evil`. Both paths are absolute. */
export function isWithin(child: string, parent: string): boolean {
  const way = relative(parent, child);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

const mostLinks = 40;

/**
 * Where a path really leads. Of a path that does not exist yet, the longest part that does is followed, also
 * through a link whose target is missing, since writing there would create the target.
 */
export function realPathOf(path: string): string {
  return follow(resolve(path), mostLinks);
}

function follow(path: string, links: number): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const here = join(follow(parent, links), basename(path));
    const target = links > 0 ? linkTarget(here) : undefined;
    return target === undefined ? here : follow(resolve(dirname(here), target), links - 1);
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
