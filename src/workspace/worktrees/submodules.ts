import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import { findCommonDirectory, findGitDirectory } from '../git/directory.ts';
import { isWithin } from '../paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { bindGit, type Git, type WorktreeWorld } from './repository.ts';
import { carryRemotes, listStartTips, type SubmodulePair } from './submodule-refs.ts';
import { nameFile } from './words.ts';

const maxMs = 5 * 60_000;
export const maxDepth = 5;
export const maxSubmodules = 200;

interface Submodule {
  name: string;
  path: string;
}

/** Submodules of a new worktree. */
export interface FilledSubmodules {
  /** Those that cannot be had, and why. */
  notes: string[];
  /** The commits that each began with and that no branch of a remote leads to, by its path. */
  starts: Record<string, string[]>;
}

/**
 * The submodules that a checkout has, in a new worktree of it, at the commits that it records. From what is on disk: nothing
 * is fetched, and one that the checkout does not have stays empty.
 */
export async function fillSubmodules(
  from: string,
  to: string,
  world: WorktreeWorld,
  trail: readonly string[] = [],
): Promise<FilledSubmodules> {
  const all: FilledSubmodules = { notes: [], starts: {} };
  if (!existsSync(join(to, '.gitmodules')) || trail.length >= maxDepth) return all;
  const git = bindGit(world, to);
  const listed = await listSubmodules(git);
  if (!listed.ok)
    return { ...all, notes: [`Submodules are missing in the worktree: ${listed.problem.message}`] };
  for (const { name, path } of listed.value.slice(0, maxSubmodules)) {
    const source = findSource(from, path);
    if (source === undefined) continue;
    const original = bindGit(world, join(from, path));
    const inside = bindGit(world, join(to, path));
    const filled = await fillSubmodule(git, { name, path }, { original, source, inside });
    const tips = filled.ok ? await listStartTips(inside) : filled;
    if (!tips.ok) {
      all.notes.push(`The submodule ${nameFile(path)} is missing in the worktree: ${tips.problem.message}`);
      continue;
    }
    const called = [...trail, path];
    if (tips.value.length > 0) all.starts[join(...called)] = tips.value;
    const below = await fillSubmodules(join(from, path), join(to, path), world, called);
    all.notes.push(...below.notes);
    Object.assign(all.starts, below.starts);
  }
  return all;
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

/** Cloned from the checkout's own copy; its remotes are then those that it has there. */
export async function fillSubmodule(
  git: Git,
  { name, path }: Submodule,
  pair: SubmodulePair,
): Promise<Result<void>> {
  const set = (key: string, value: string) => ['-c', `submodule.${name}.${key}=${value}`];
  const settings = [...set('url', pair.source), ...set('active', 'true'), ...set('update', 'checkout')];
  const update = ['submodule', 'update', '--init', '--checkout', '--no-recommend-shallow', '--', path];
  const filled = await git([...settings, ...update], { transports: 'disk', timeoutMs: maxMs });
  return filled.ok ? carryRemotes(pair) : filled;
}
