import { closeSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';
import { mkdirSync, openSync, unlinkSync } from '../lib/files/exact-files.ts';
import { dirname, join } from '../lib/files/exact-paths.ts';
import { formatError, getErrorCode } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { Launch, PathEntry } from '../protocol/sandbox.ts';
import { isBelow, realIfThere, statEntry } from './guard/look.ts';

/** The path of the private directory inside. */
export const privatePath = '/tmp';

/** In `/dev`, of which the sandbox has its own. */
const sharedMemory = '/dev/shm';

/** Whether nothing of the machine exists there inside, unless it is mounted. */
export function isInOwnTree(path: string): boolean {
  return isBelow(path, privatePath) || isBelow(path, sharedMemory);
}

/** Paths that a command needs and would lose where the sandbox's own directories replace the system's. */
export function visibleInOwnTrees(
  { env }: Launch,
  workspace: readonly string[],
  { userHome }: { userHome: string },
  roots: readonly string[],
): string[] {
  const programs = (env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return [userHome, ...workspace, ...programs]
    .filter(isInOwnTree)
    .map(realIfThere)
    .filter((path) => isInOwnTree(path) && path !== privatePath)
    .filter((path) => !roots.some((root) => isBelow(path, root)));
}

/**
 * Creates the mount points in the private directory, and returns the directories that contain them. Earlier commands could
 * write there: one of their links would lead the mounting process out of it, with all its rights. So no link is left on the
 * way, and the holders are mounted too, which keeps them from being moved.
 */
export function prepareMountPoints(
  entries: readonly PathEntry[],
  temporary: string,
): string[] | { problem: string } {
  const holders = new Set<string>();
  const below = entries.filter(({ path }) => isBelow(path, privatePath) && path !== privatePath);
  // One that another covers is created in what that one shows, which is not the private directory.
  const tops = below.filter(
    ({ path }) => !below.some((other) => other.path !== path && isBelow(path, other.path)),
  );
  let last = '';
  try {
    for (const { path, isDirectory } of tops) {
      last = path;
      const ways: string[] = [];
      for (let up = dirname(path); up !== privatePath; up = dirname(up)) ways.unshift(up);
      for (const way of ways) {
        makeDirectory(join(temporary, way.slice(privatePath.length)));
        holders.add(way);
      }
      const point = join(temporary, path.slice(privatePath.length));
      if (isDirectory) makeDirectory(point);
      else makeFile(point);
    }
  } catch (error) {
    if (getErrorCode(error) !== 'ENAMETOOLONG') return { problem: formatError(error) };
    return { problem: `${visibleLine(last, 60)} is too long a path to be shown in it. ${shorter}` };
  }
  return [...holders];
}

/** A mount point is that path below the private directory, which has a path of its own. */
const shorter = 'Work in a directory with a shorter path, or in one outside /tmp.';

function makeDirectory(path: string): void {
  const found = statEntry(path);
  if (found?.isDirectory()) return;
  if (found) unlinkSync(path);
  mkdirSync(path, { mode: 0o700 });
}

function makeFile(path: string): void {
  const found = statEntry(path);
  if (found?.isFile()) return;
  if (found) unlinkSync(path);
  closeSync(openSync(path, 'wx', 0o600));
}
