import { dirname } from 'node:path';
import { untold } from '../../lib/told.ts';
import { credentialsAmong } from '../../places/credentials.ts';
import type { CallWorkspace } from '../../places/types.ts';
import { isWithin } from '../../workspace/paths.ts';
import type { JudgedCommand } from '../walk/script.ts';
import { gitPlaces } from './moves.ts';
import { mayShow, widenLook } from './shows.ts';

/*
 * The workspace may be part of a repository. `git diff` shows tracked files of the rest anyway, so git's own commands may
 * read them by any name: except credentials, and files that a rule refuses.
 */

/** Whether a path is in the repository around the workspace, and git tracks it or something below it. */
export function isAround(path: string, workspace: CallWorkspace): boolean {
  const { cwd, directories, look, realPath } = workspace;
  return [cwd, ...directories].some((directory) => {
    const kept = look?.tracked(realPath(directory)) ?? untold;
    if (kept === untold || !kept.some((one) => isWithin(one, path))) return false;
    const top = commonDirectory(kept);
    return isWithin(path, top) && isWithin(realPath(path), realPath(top));
  });
}

/** The deepest directory that contains all of them: certainly not above the repository's own. */
export function commonDirectory(paths: readonly string[]): string {
  return paths.reduce(
    (common, path) => {
      let directory = common;
      while (!isWithin(path, directory)) directory = dirname(directory);
      return directory;
    },
    dirname(paths[0] ?? '/'),
  );
}

/** A file outside the workspace that may hold credentials and that git would show without being asked to. */
export function findCredentialAround(one: JudgedCommand, workspace: CallWorkspace): string | undefined {
  const git = one.effect.known ? one.effect.git : undefined;
  const { look } = workspace;
  if (!git || !look || git.shows !== 'contents') return undefined;
  for (const place of gitPlaces(git.move, one.command.directories, workspace)) {
    const kept = look.tracked(place);
    const wide = widenLook(git, place, look);
    const found = (kept === untold ? [] : credentialsAmong(kept)).find(
      (path) => !isInWorkspace(path, workspace) && mayShow(wide, path, place),
    );
    if (found !== undefined)
      return `it may show ${found}, which is outside the workspace and may hold credentials`;
  }
  return undefined;
}

/** By its name: git shows a file from its own store. */
function isInWorkspace(path: string, { cwd, directories, realPath }: CallWorkspace): boolean {
  return [cwd, ...directories].some((one) => isWithin(path, one) || isWithin(path, realPath(one)));
}
