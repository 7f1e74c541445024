import { basename, isAbsolute, join, relative } from 'node:path';
import { ok, type Result } from '../lib/result.ts';
import { findGitRuns } from '../places/git-runs.ts';
import { GitScopes } from '../places/git-scopes.ts';
import { foldName } from '../places/paths.ts';
import { findProtectedName, leads } from '../places/protected-names.ts';
import { ProtectedTargets } from '../places/protected-targets.ts';
import { isWithin } from '../workspace/paths.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import { readable } from './moving/byte-path.ts';
import { changesBetween } from './moving/changes.ts';
import type { Ground } from './types.ts';

/** Finds files that other programs run or read settings from, among those in which two commits differ. */
export type FindProtected = (from: string, to: string) => Promise<Result<string[]>>;

/**
 * Judged by git's objects and not by the files on disk: a commit can hold files that no work tree ever showed. Names that are
 * protected everywhere, paths that git's configuration names in the checkout, such as scripts below `core.hooksPath`, and what
 * links in protected directories of the checkout or the home lead to.
 */
export function openProtected({ repository, world, commands }: Ground): FindProtected {
  const git = bindGit(world, repository.top);
  const led = findLedPaths({ repository, world, ...(commands ? { commands } : {}) });
  const isProtected = (path: string, mode: string | undefined) =>
    findProtectedName(`/${path}`) !== undefined ||
    isLead(path, mode) ||
    led.some((one) => isWithin(join('/', path), join('/', one)));
  return async (from, to) => {
    const changes = await changesBetween(git, from, to);
    return changes.ok
      ? ok(
          changes.value
            .filter(({ path, new: after }) => isProtected(readable(path), after?.mode))
            .map(({ path }) => readable(path)),
        )
      : changes;
  };
}

const linkMode = '120000';

/** A link in place of a directory that holds protected ones, or the head of a git directory under another name. */
function isLead(path: string, mode: string | undefined): boolean {
  const name = foldName(basename(path));
  return name === 'head' || (mode === linkMode && leads.has(name));
}

/** From the top of the checkout. */
function findLedPaths({
  repository: { top, common },
  world,
  commands,
}: Pick<Ground, 'repository' | 'world' | 'commands'>): string[] {
  const scopes = new GitScopes({ userHome: world.env.HOME ?? '', environment: world.env, commands });
  const runs = findGitRuns({ top, gitDirectories: [common] }, scopes);
  const led = new ProtectedTargets(scopes, undefined).find([top]);
  return [...runs, ...led]
    .map(({ path }) => relative(top, path))
    .filter((path) => path !== '' && path !== '..' && !path.startsWith('../') && !isAbsolute(path));
}
