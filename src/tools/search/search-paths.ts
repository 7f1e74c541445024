import { dirname, isAbsolute, join, relative } from 'node:path';
import { type RealPath, RealPlaces } from '../../lib/files/real-places.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import { isWithin } from '../../workspace/paths.ts';
import { isFollowed } from '../../workspace/real-path.ts';
import { describeMissing } from '../files/near-names.ts';
import { movedMeanwhile } from '../files/open-file.ts';

/** The place to search, as judged. */
export interface SearchPlace {
  /** As named by the caller. Results are shown below it, by relative paths. */
  directory: string;
  real: RealPath;
  /** If it is a single file: its name and real path. */
  file?: { name: string; real: RealPath };
}

/** The program and the place of a search, or why there is none. */
export async function openSearch(
  locate: () => Promise<Result<string>>,
  path: string,
  context: ToolContext,
): Promise<Result<{ program: string; place: SearchPlace }>> {
  const program = await locate();
  if (!program.ok) return program;
  const place = searchPlace(path, context);
  return place.ok ? ok({ program: program.value, place: place.value }) : place;
}

function searchPlace(path: string, context: ToolContext): Result<SearchPlace> {
  const real = context.judged(path);
  if (real === undefined) return failure(movedMeanwhile(path));
  // It stands for the root of the machine, which nobody named.
  if (!isFollowed(path, real)) return failure(describeUnfollowed(path));
  const places = new RealPlaces();
  const found = places.look(real);
  places.close();
  if (found.state === 'moved') return failure(movedMeanwhile(path));
  if (found.state !== 'found') return failure(describeMissing(path, context));
  if (found.value.isDirectory()) return ok({ directory: path, real });
  const directory = dirname(path);
  return ok({
    ...{ directory, real: dirname(real) as RealPath },
    file: { name: relative(directory, path), real },
  });
}

function describeUnfollowed(path: string): string {
  return `${path} is not searched: it is unclear where the links in it lead. Name the directory itself, without links.`;
}

/** As short as possible without ambiguity: relative to the working directory if the path is below it. */
export function shownPath(path: string, directory: string, cwd: string): string {
  const absolute = isAbsolute(path) ? path : join(directory, path);
  return isWithin(absolute, cwd) ? relative(cwd, absolute) || '.' : absolute;
}

/** Newest first; equal times by name, so the order is always the same. */
export function sortByTime(timed: readonly { path: string; time: number }[]): string[] {
  const sorted = [...timed].sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1));
  return sorted.map(({ path }) => path);
}
