import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import { carriedCommit } from './carry.ts';
import type { RefuseFile } from './left-out.ts';
import { bindGit, type Git, resolveCommit, type WorktreeWorld } from './repository.ts';
import { fillSubmodule, findSource, listSubmodules, maxDepth, maxSubmodules } from './submodules.ts';
import { nameFile } from './words.ts';

/** The world, and which files of the checkout agents may not read. */
interface Means {
  world: WorktreeWorld;
  refuses?: RefuseFile | undefined;
}

/**
 * The submodules of one worktree in a copy of it, as they are there: at the commit that is checked out, with what is not
 * committed, those inside them too. Notes about all that the copy lacks.
 */
export async function copySubmodules(
  from: string,
  to: string,
  means: Means,
  trail: readonly string[] = [],
): Promise<string[]> {
  const git = bindGit(means.world, to);
  const links = await listLinks(git);
  if (!links.ok) return [`Submodules are missing in the copy: ${links.problem.message}`];
  if (links.value.length === 0) return [];
  const listed = await listSubmodules(git);
  if (!listed.ok) return [`Submodules are missing in the copy: ${listed.problem.message}`];
  const notes: string[] = [];
  for (const [index, path] of links.value.entries()) {
    const known = listed.value.find((one) => one.path === path);
    const source = known && findSource(from, path);
    const isTooMuch = trail.length >= maxDepth || index >= maxSubmodules;
    if (known && source !== undefined && !isTooMuch)
      notes.push(...(await copyOne({ git, from, to, source }, known, means, trail)));
    else if (holdsFiles(join(from, path)))
      notes.push(
        describeGap(
          join(...trail, path),
          isTooMuch ? 'there are too many' : 'git does not know it as a submodule',
        ),
      );
  }
  return notes;
}

/** The repositories inside a checkout that its index names. */
async function listLinks(git: Git): Promise<Result<string[]>> {
  const listed = await git(['ls-files', '--stage', '-z']);
  if (!listed.ok) return listed;
  return ok(
    listed.value
      .split('\0')
      .flatMap((line) => (line.startsWith('160000 ') ? [line.slice(line.indexOf('\t') + 1)] : [])),
  );
}

async function copyOne(
  { git, from, to, source }: { git: Git; from: string; to: string; source: string },
  { name, path }: { name: string; path: string },
  means: Means,
  trail: readonly string[],
): Promise<string[]> {
  const { world, refuses } = means;
  const [original, copy] = [join(from, path), join(to, path)];
  const called = join(...trail, path);
  const inside = bindGit(world, copy);
  const pair = { original: bindGit(world, original), source, inside };
  const filled = await fillSubmodule(git, { name, path }, pair);
  if (!filled.ok) return [describeGap(called, filled.problem.message)];
  const head = await resolveCommit('HEAD', original, world);
  if (!head.ok) return [describeGap(called, head.problem.message)];
  const whose = `the submodule ${path}`;
  const carried = await carriedCommit({ top: original, head: head.value, whose }, world, refuses);
  if (!carried.ok) return [describeGap(called, carried.problem.message)];
  const brought = await bringCommit(inside, source, carried.value.commit);
  if (!brought.ok) return [describeGap(called, brought.problem.message)];
  // Those inside it come first: the index names their commits only until it is that of the commit again.
  const below = await copySubmodules(original, copy, means, [...trail, path]);
  const notes = [...carried.value.notes, ...below];
  const left = await inside(['reset', '--quiet', '--mixed', head.value]);
  return left.ok ? notes : [...notes, describeGap(called, left.problem.message)];
}

async function bringCommit(inside: Git, source: string, commit: string): Promise<Result<string>> {
  const only = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  const fetched = await inside(['fetch', ...only, source, commit], { transports: 'disk' });
  return fetched.ok ? inside(['checkout', '--quiet', '--force', '--detach', commit]) : fetched;
}

function describeGap(called: string, why: string): string {
  return `${nameFile(called)} is a repository of its own and is not in this copy as it is in the worktree, so what is in it cannot be tried here: ${why}`;
}

function holdsFiles(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0;
  } catch {
    return false;
  }
}
