import { lstatSync } from 'node:fs';
import { readlinkSync, realpathSync } from '../lib/files/exact-files.ts';
import { dirname, encodePath, join } from '../lib/files/exact-paths.ts';
import type { RealPath } from '../lib/files/real-places.ts';
import { hasLostBytes } from '../lib/text/utf8.ts';
import { hasFixedLinks } from './fixed-links.ts';
import { goesUp, relativeParts } from './paths.ts';

const maxLinks = 40;

/**
 * The real path of an absolute path, as the kernel follows it piece by piece, for a file that exists or is about to be
 * created. A path that cannot be followed (a loop, a name that is not valid UTF-8, too long a path), or that another process
 * may follow to another place (`fixed-links.ts`), leads to the root, which is inside no workspace: see `isFollowed`.
 */
export function resolveRealPath(path: string): RealPath {
  const real = tryRealPath(path);
  // Where it leads back to itself, no link is in it.
  if (real === path) return path as RealPath;
  const { end } = followWay(path);
  // A link whose target does not exist yet still decides where a new file would appear.
  return (end === undefined ? '/' : (real ?? end)) as RealPath;
}

/** The same for a file that the user names and that this process opens itself, such as `/dev/stdin`. */
export function resolveOwnPath(path: string): RealPath {
  return (tryRealPath(path) ?? resolveRealPath(path)) as RealPath;
}

/** Whether it is known where a path leads. */
export function isFollowed(path: string, real: string): boolean {
  return real !== '/' || splitPieces(path).length === 0;
}

/** Whether no part of a path below a directory is a link. The directory itself may be behind one. */
export function isPlainBelow(path: string, directory: string, real: string = resolveRealPath(path)): boolean {
  const parts = relativeParts(path, directory);
  return parts !== undefined && join(resolveRealPath(directory), ...parts) === real;
}

/** The real paths of places that are opened for someone. One that cannot be followed opens nothing. */
export function resolveOpened(paths: readonly string[]): RealPath[] {
  return paths.flatMap((path) => {
    const real = resolveRealPath(path);
    return isFollowed(path, real) ? [real] : [];
  });
}

function tryRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * The same for many paths in a row, such as those of one decision: each directory is resolved once, and each name in it costs
 * one look. Do not keep it, since links change.
 */
export function openRealPaths(): (path: string) => string {
  const known = new Map<string, string>();
  const follow = (path: string): string => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const real = followName(path, follow) ?? resolveRealPath(path);
    known.set(path, real);
    return real;
  };
  return follow;
}

/** Undefined where only the kernel knows: links, `..`, and systems on which a file has several spellings. */
function followName(path: string, follow: (path: string) => string): string | undefined {
  const at = path.lastIndexOf('/');
  const name = path.slice(at + 1);
  if (process.platform !== 'linux' || at <= 0 || name === '' || name === '.' || goesUp(path))
    return undefined;
  const parent = follow(path.slice(0, at));
  // Also the result for a path that cannot be followed.
  if (parent === '/') return undefined;
  const real = `${parent}/${name}`;
  return linkTarget(real) === undefined ? real : undefined;
}

/** How the kernel follows a path. */
export interface Way {
  /** Every name it passes, each in the real directory that contains it. */
  readonly names: readonly string[];
  /** It contains a link or `..`, so another directory at a name may change its target. */
  readonly turns: boolean;
  /** The target; undefined for a path that cannot be followed, or not in place of another process. */
  readonly end?: string;
  /** Where this process ends; undefined for a path that cannot be followed. */
  readonly ownEnd?: string;
}

export function followWay(path: string): Way {
  const ahead = splitPieces(path).reverse();
  const names: string[] = [];
  let reached: string[] = [];
  let links = 0;
  let turns = false;
  let isFixed = true;
  for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
    if (part === '..') {
      turns = true;
      reached.pop();
      continue;
    }
    // It may be a link: `..` behind it would lead elsewhere.
    if (hasLostBytes(part)) return { names, turns: true };
    const next = `/${[...reached, part].join('/')}`;
    names.push(next);
    const target = linkTarget(next);
    if (target === null) return { names, turns: true };
    if (target === undefined) {
      reached.push(part);
      continue;
    }
    turns = true;
    if (++links > maxLinks) return { names, turns };
    isFixed &&= hasFixedLinks(dirname(next));
    if (target.startsWith('/')) reached = [];
    ahead.push(...splitPieces(target).reverse());
  }
  const ownEnd = `/${reached.join('/')}`;
  return { names, turns, ownEnd, ...(isFixed ? { end: ownEnd } : {}) };
}

/** With every `..`: its target is known only when everything before it was followed. */
function splitPieces(path: string): string[] {
  return path.split('/').filter((piece) => piece !== '' && piece !== '.');
}

/** Undefined where it is not a link, null where that is unknown: the kernel could get there from a directory on the way. */
function linkTarget(path: string): string | undefined | null {
  try {
    return lstatSync(encodePath(path), { throwIfNoEntry: false })?.isSymbolicLink()
      ? readlinkSync(path)
      : undefined;
  } catch (error) {
    return isTooLong(error) ? null : undefined;
  }
}

/** Whether a path was too long for one call. */
export function isTooLong(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENAMETOOLONG';
}
