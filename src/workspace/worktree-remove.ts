import { lstatSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { holdFileLock } from '../lib/file-lock.ts';
import { failure, messageOf, ok, type Result } from '../lib/result.ts';
import { changesIn } from './worktree-changes.ts';
import { dropRecord, type WorktreeRecord, writeRecord } from './worktree-record.ts';
import {
  findAdministration,
  gitIn,
  namesIn,
  readQuietly,
  type WorktreeWorld,
} from './worktree-repository.ts';

const longestWaitMs = 120_000;

/** One at a time makes or removes a worktree of a repository, whichever process it is in. */
export async function holdRepository(common: string, world: WorktreeWorld): Promise<Result<() => void>> {
  return holdFileLock(join(common, 'cadre-worktrees.lock'), world.clock, longestWaitMs);
}

/** Removes a worktree and its branch, if there is nothing of value in it. The answer says whether it is gone. */
export async function removeIfUnchanged(
  record: WorktreeRecord,
  world: WorktreeWorld,
): Promise<Result<boolean>> {
  const changes = await changesIn(record, world);
  if (!changes.ok) return changes;
  if (!changes.value.isUnchanged) return ok(false);
  return remove(record, world, false);
}

/** Removes it with all that is in it. Only on somebody's word, or where nobody can have worked in it. */
export async function discardWorktree(
  record: WorktreeRecord,
  world: WorktreeWorld,
): Promise<Result<boolean>> {
  return remove(record, world, true);
}

async function remove(
  record: WorktreeRecord,
  world: WorktreeWorld,
  force: boolean,
): Promise<Result<boolean>> {
  const held = await holdRepository(record.common, world);
  if (!held.ok) return held;
  try {
    const marked = writeRecord(world.home, { ...record, state: 'removing' });
    if (!marked.ok) return marked;
    world.step?.('marked');
    await unlockWorktree(record, world);
    world.step?.('unlocked');
    const gone = await removeTree(record, world, force);
    if (!gone.ok) {
      writeRecord(world.home, { ...record, state: 'ready', owner: null });
      return gone;
    }
    if (!gone.value) return ok(false);
    world.step?.('removed');
    const unbranched = await removeBranch(record, world, force);
    if (!unbranched.ok) return unbranched;
    world.step?.('unbranched');
    dropRecord(world.home, record);
    return ok(true);
  } finally {
    held.value();
  }
}

/** A lock that is not there is no failure. */
export async function unlockWorktree({ path, main }: WorktreeRecord, world: WorktreeWorld): Promise<void> {
  await gitIn(world, main)(['worktree', 'unlock', path]);
}

/** Without `force` git itself looks once more, and refuses where something is in it. */
async function removeTree(
  record: WorktreeRecord,
  world: WorktreeWorld,
  force: boolean,
): Promise<Result<boolean>> {
  const { path, main } = record;
  const flags = force ? ['--force', '--force'] : [];
  const removed = await gitIn(world, main)(['worktree', 'remove', ...flags, path]);
  if (removed.ok) return ok(true);
  if (force) return removeByHand(record);
  writeRecord(world.home, { ...record, state: 'ready', owner: null });
  return ok(false);
}

/** For what git does not recognise any more, or not yet: half made or half removed. */
function removeByHand(record: WorktreeRecord): Result<boolean> {
  const { path, main } = record;
  try {
    if (dirname(path) !== join(main, '.cadre', 'worktrees'))
      return failure(`${path} is no worktree of ours.`);
    const own = [findAdministration(record.common, path), ...unborn(record)];
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
      rmSync(path, { recursive: true, force: true });
    for (const directory of own) if (directory) rmSync(directory, { recursive: true, force: true });
    return ok(true);
  } catch (error) {
    return failure(`${path} could not be removed: ${messageOf(error)}`, 'Check who owns what is in it.');
  }
}

/** Git's data of a worktree that was cut off before it was said where it is; its lock is ours. */
function unborn({ common, slug }: WorktreeRecord): string[] {
  const directory = join(common, 'worktrees');
  return namesIn(directory)
    .map((name) => join(directory, name))
    .filter((own) => readQuietly(join(own, 'gitdir')) === undefined)
    .filter((own) => readQuietly(join(own, 'locked'))?.trimEnd().endsWith(lockEnd(slug)));
}

export function lockReason({ slug, session, owner }: WorktreeRecord): string {
  return `cadre session ${session}, process ${owner?.pid} started ${owner?.start}${lockEnd(slug)}`;
}

function lockEnd(slug: string): string {
  return `, worktree ${slug}`;
}

/** Unless forced it goes only where it still stands at the base: git compares and deletes in one step. */
async function removeBranch(
  { branch, base, main, common }: WorktreeRecord,
  world: WorktreeWorld,
  force: boolean,
): Promise<Result<void>> {
  const git = gitIn(world, main);
  const ref = `refs/heads/${branch}`;
  const tip = await git(['rev-parse', '--verify', '--quiet', ref], { alsoGood: [1] });
  if (!tip.ok) return tip;
  if (tip.value.trim() !== '') {
    const removed = await git(['update-ref', '-d', ref, force ? tip.value.trim() : base]);
    if (!removed.ok) return removed;
  }
  for (const place of [join(common, ref), join(common, 'logs', ref)]) removeEmpty(dirname(place));
  return ok(undefined);
}

function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Gone already, or somebody else's.
  }
}
