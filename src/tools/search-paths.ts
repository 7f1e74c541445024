import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
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
export async function sortByTime(paths: readonly string[], directory: string): Promise<string[]> {
  const timed: { path: string; time: number }[] = [];
  for (let start = 0; start < paths.length; start += 64) {
    timed.push(
      ...(await Promise.all(paths.slice(start, start + 64).map((path) => withTime(path, directory)))),
    );
  }
  timed.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1));
  return timed.map(({ path }) => path);
}

async function withTime(path: string, directory: string): Promise<{ path: string; time: number }> {
  try {
    return { path, time: (await stat(join(directory, path))).mtimeMs };
  } catch {
    return { path, time: 0 };
  }
}
