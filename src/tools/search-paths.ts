import { statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { failure, ok, type Result } from '../lib/result.ts';
import { isWithin } from '../workspace/paths.ts';
import { describeMissing } from './near-names.ts';

/** The directory a search runs in, and what in it is searched. */
export interface SearchPlace {
  directory: string;
  target: string;
}

function searchPlace(path: string, cwd: string): Result<SearchPlace> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return failure(describeMissing(path, cwd));
  if (found.isDirectory()) return ok({ directory: path, target: './' });
  return ok({ directory: dirname(path), target: `./${basename(path)}` });
}

/** Where a search starts from: the program and the place, or why there is none. */
export async function openSearch(
  locate: () => Promise<Result<string>>,
  path: string,
  cwd: string,
): Promise<Result<{ program: string; place: SearchPlace }>> {
  const program = await locate();
  if (!program.ok) return program;
  const place = searchPlace(path, cwd);
  return place.ok ? ok({ program: program.value, place: place.value }) : place;
}

/** As short as can be without being mistaken: from the working directory where the path is below it. */
export function shownPath(path: string, directory: string, cwd: string): string {
  const absolute = isAbsolute(path) ? path : join(directory, path);
  return isWithin(absolute, cwd) ? relative(cwd, absolute) || '.' : absolute;
}

/** Newest first; equal times by name, so that the order is always the same. */
export function sortByTime(paths: readonly string[], directory: string): string[] {
  const timed = paths.map((path) => ({ path, time: timeOf(join(directory, path)) }));
  timed.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1));
  return timed.map(({ path }) => path);
}

function timeOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}
