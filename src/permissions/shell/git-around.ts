import { dirname } from 'node:path';
import { untold } from '../../lib/told.ts';
import { isWithin } from '../../workspace/paths.ts';
import { credentialsAmong } from '../credentials.ts';
import { isInside, resolvePath } from '../paths.ts';
import type { CallWorkspace } from '../types.ts';
import { gitPlaces } from './git-moves.ts';
import { mayShow } from './git-shows.ts';
import type { JudgedCommand } from './script.ts';

/*
 * The workspace may be a part of a repository. What git keeps of the rest is what `git diff` shows by itself, so git's own
 * commands may look at it by whatever name: but for credentials, and for what a rule refuses.
 */

/** Whether a path is in the repository around the workspace, and git keeps it or something below it. */
export function isAround(path: string, workspace: CallWorkspace): boolean {
  const { cwd, directories, look, realPath } = workspace;
  return [cwd, ...directories].some((directory) => {
    const kept = look?.tracked(directory) ?? untold;
    if (kept === untold || !kept.some((one) => isWithin(one, path))) return false;
    const top = commonDirectory(kept);
    return isWithin(path, top) && isWithin(realPath(path), realPath(top));
  });
}

/** The deepest directory that holds all of them: surely not above the repository's own. */
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

/** A file outside the workspace that may hold credentials and that git would show without being told to. */
export function findCredentialAround(one: JudgedCommand, workspace: CallWorkspace): string | undefined {
  const git = one.effect.known ? one.effect.git : undefined;
  const { look, cwd, directories } = workspace;
  if (!git || !look || git.shows !== 'contents') return undefined;
  for (const place of gitPlaces(git.move, one.command.directories, workspace)) {
    const kept = look.tracked(place);
    const found = (kept === untold ? [] : credentialsAmong(kept)).find(
      (path) =>
        !isInside(resolvePath(path, workspace), [cwd, ...directories], workspace) &&
        mayShow(git, path, place),
    );
    if (found !== undefined)
      return `it may show ${found}, which is outside the workspace and may hold credentials`;
  }
  return undefined;
}
