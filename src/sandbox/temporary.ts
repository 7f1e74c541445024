import { closeSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';
import { mkdirSync, openSync, unlinkSync } from '../lib/files/exact-files.ts';
import { dirname, join } from '../lib/files/exact-paths.ts';
import { formatError } from '../lib/result.ts';
import type { Launch, PathEntry } from '../protocol/sandbox.ts';
import { statEntry, isBelow, realIfThere } from './guard/look.ts';

/** Where the private directory is seen. */
export const privatePath = '/tmp';

/** In `/dev`, of which the sandbox has its own. */
const sharedMemory = '/dev/shm';

/** Whether nothing of the machine exists there inside, unless it is mounted. */
export function isInOwnTree(path: string): boolean {
  return isBelow(path, privatePath) || isBelow(path, sharedMemory);
}

/** What a command needs and would lose where directories of the sandbox's own take the place of the system's. */
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
 * Makes the places in the private directory that something else is mounted on, and returns the directories that hold
 * them. Earlier commands could write there: a link of theirs would lead the one who mounts out of it, with all his
 * rights. So no link is left on the way, and the holders are mounted too, which keeps them from being moved.
 */
export function prepareMountPoints(
  entries: readonly PathEntry[],
  temporary: string,
): string[] | { problem: string } {
  const holders = new Set<string>();
  const below = entries.filter(({ path }) => isBelow(path, privatePath) && path !== privatePath);
  // One that another covers is made in what that one shows, which is not the private directory.
  const tops = below.filter(
    ({ path }) => !below.some((other) => other.path !== path && isBelow(path, other.path)),
  );
  try {
    for (const { path, isDirectory } of tops) {
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
    return { problem: formatError(error) };
  }
  return [...holders];
}

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
