import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isWithin } from './paths.ts';
import { realPathOf } from './real-path.ts';

/**
 * A search path without relative places and without those in the repository: `ls` must not be a program that somebody
 * put into a clone. A repository that is the user's home, or above it, keeps its places: they are the user's own.
 */
export function pathOutside(path: string, root: string, userHome: string): string {
  const real = realPathOf(root);
  const isHome = isWithin(realPathOf(userHome), real);
  return path
    .split(delimiter)
    .filter((place) => isAbsolute(place) && (isHome || !isWithin(realPathOf(place), real)))
    .join(delimiter);
}

/** The first program of that name along a search path. */
export function findProgram(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
