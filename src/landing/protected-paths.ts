import { isAbsolute, join, relative } from 'node:path';
import { ok, type Result } from '../lib/result.ts';
import { findGitRuns } from '../permissions/git-runs.ts';
import { GitScopes } from '../permissions/git-scopes.ts';
import { findProtectedName } from '../permissions/protected-names.ts';
import { isWithin } from '../workspace/paths.ts';
import { gitIn } from '../workspace/worktree-repository.ts';
import { readable } from './byte-path.ts';
import { changesBetween } from './changes.ts';
import type { Ground } from './types.ts';

/** Finds the files that other programs run or take settings from, of those in which two commits differ. */
export type FindProtected = (from: string, to: string) => Promise<Result<string[]>>;

/**
 * By what git stores and not by what is on the disk: a commit can hold what no work tree ever showed. Names that are
 * protected everywhere, and what git's configuration names in the checkout, such as scripts below `core.hooksPath`.
 */
export function openProtected({ repository, world }: Ground): FindProtected {
  const git = gitIn(world, repository.top);
  const led = namedByGit({ repository, world });
  const isProtected = (path: string) =>
    findProtectedName(`/${path}`) !== undefined ||
    led.some((one) => isWithin(join('/', path), join('/', one)));
  return async (from, to) => {
    const changes = await changesBetween(git, from, to);
    return changes.ok ? ok(changes.value.map(({ path }) => readable(path)).filter(isProtected)) : changes;
  };
}

/** From the top of the checkout. */
function namedByGit({ repository: { top, common }, world }: Pick<Ground, 'repository' | 'world'>): string[] {
  const scopes = new GitScopes({ userHome: world.env.HOME ?? '', environment: world.env });
  return findGitRuns({ top, gitDirectories: [common] }, scopes)
    .map(({ path }) => relative(top, path))
    .filter((path) => path !== '' && path !== '..' && !path.startsWith('../') && !isAbsolute(path));
}
