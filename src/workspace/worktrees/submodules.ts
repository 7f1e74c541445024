import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import { findCommonDirectory, findGitDirectory } from '../git/directory.ts';
import { isWithin } from '../paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { bindGit, type Git, type WorktreeWorld } from './repository.ts';
import { nameFile } from './words.ts';

const maxMs = 5 * 60_000;
export const maxDepth = 5;
export const maxSubmodules = 200;

interface Submodule {
  name: string;
  path: string;
}

/**
 * The submodules that a checkout has, in a new worktree of it, at the commits that it records. From what is on disk: nothing
 * is fetched, and one that the checkout does not have stays empty. Those that cannot be had are named.
 */
export async function fillSubmodules(
  from: string,
  to: string,
  world: WorktreeWorld,
  depth = 0,
): Promise<string[]> {
  if (!existsSync(join(to, '.gitmodules')) || depth >= maxDepth) return [];
  const git = bindGit(world, to);
  const listed = await listSubmodules(git);
  if (!listed.ok) return [`Submodules are missing in the worktree: ${listed.problem.message}`];
  const notes: string[] = [];
  for (const { name, path } of listed.value.slice(0, maxSubmodules)) {
    const source = findSource(from, path);
    if (source === undefined) continue;
    const inside = bindGit(world, join(to, path));
    const filled = await fillSubmodule({ git, inside }, { name, path }, source);
    if (filled.ok) notes.push(...(await fillSubmodules(join(from, path), join(to, path), world, depth + 1)));
    else notes.push(`The submodule ${nameFile(path)} is missing in the worktree: ${filled.problem.message}`);
  }
  return notes;
}

/** The checkout's own copy of a submodule: not some other repository that a file in its place leads to. */
export function findSource(from: string, path: string): string | undefined {
  if (!existsSync(join(from, path, '.git'))) return undefined;
  const found = findGitDirectory(join(from, path));
  const around = findGitDirectory(from);
  if (found === undefined || around === undefined) return undefined;
  const places = [from, around, findCommonDirectory(around)].map(resolveRealPath);
  return places.some((place) => isWithin(resolveRealPath(found), place)) ? found : undefined;
}

/** Those that a checkout lists. */
export async function listSubmodules(git: Git): Promise<Result<Submodule[]>> {
  const args = ['config', '--null', '--file', '.gitmodules', '--get-regexp', '^submodule\\..*\\.path$'];
  const listed = await git(args, { alsoGood: [1] });
  if (!listed.ok) return listed;
  return ok(
    listed.value.split('\0').flatMap((entry) => {
      const [key = '', path] = entry.split('\n');
      const name = key.replace(/^submodule\./, '').replace(/\.path$/, '');
      return path === undefined || path === '' ? [] : [{ name, path }];
    }),
  );
}

/** Cloned from the checkout's own copy; its remote is then the one that it has there. */
export async function fillSubmodule(
  { git, inside }: { git: Git; inside: Git },
  { name, path }: Submodule,
  source: string,
): Promise<Result<void>> {
  const set = (key: string, value: string) => ['-c', `submodule.${name}.${key}=${value}`];
  const settings = [...set('url', source), ...set('active', 'true'), ...set('update', 'checkout')];
  const update = ['submodule', 'update', '--init', '--checkout', '--no-recommend-shallow', '--', path];
  const filled = await git([...settings, ...update], { transports: 'disk', timeoutMs: maxMs });
  if (!filled.ok) return filled;
  const file = join(source, 'config');
  const url = await inside(['config', '--file', file, '--get', 'remote.origin.url'], { alsoGood: [1] });
  const origin = url.ok ? url.value.trim() : '';
  if (origin !== '') await inside(['remote', 'set-url', 'origin', origin]);
  return ok(undefined);
}
