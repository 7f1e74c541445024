import { existsSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { holdFileLock } from '../../lib/files/file-lock.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { removeTreeMeanwhile } from '../../lib/files/remove-tree.ts';
import { processMark } from '../../lib/processes/mark.ts';
import { ownerVariable } from '../../lib/processes/process.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { resolveRealPath } from '../real-path.ts';
import { locateRunning } from '../running.ts';
import { type Content, readWorktreeContent } from './content.ts';
import { isInUse, isPassed } from './in-use.ts';
import { objection, type RemovalPermit } from './permit.ts';
import { dropRecord, readRecord, type WorktreeRecord, writeRecord } from './record.ts';
import { bindGit, checkWorld, findAdministration, readQuietly, type WorktreeWorld } from './repository.ts';

const maxWaitMs = 120_000;

/**
 * Only one process at a time creates or removes a worktree of a repository. One that was paused while it did so, and whose session
 * another process took over, is not waited for: it changes nothing more.
 */
export async function holdRepository(common: string, world: WorktreeWorld): Promise<Result<() => void>> {
  const allowed = checkWorld(world);
  if (!allowed.ok) return allowed;
  const name = world.env[ownerVariable]?.split('/', 1)[0];
  const held = await holdFileLock(join(common, 'cadre-worktrees.lock'), world.clock, {
    waitMs: maxWaitMs,
    lease: name === undefined ? undefined : { place: locateRunning(world.home), name },
  });
  if (!held.ok) return held;
  // It can have been paused while it waited.
  const still = checkWorld(world);
  if (!still.ok) held.value();
  return still.ok ? held : still;
}

export type Removal = { removed: true } | { removed: false; reason: string };

/**
 * The only way to remove a worktree with its branch. Checks the record and everything in it while no other process can enter
 * it, and leaves both as they are where the permit does not cover the present content.
 */
export async function removeWorktree(
  record: WorktreeRecord,
  permit: RemovalPermit,
  world: WorktreeWorld,
): Promise<Result<Removal>> {
  const held = await holdRepository(record.common, world);
  if (!held.ok) return held;
  try {
    const current = readRecord(world.home, record.common, record.slug);
    if (!current && !existsSync(record.path)) return ok({ removed: true });
    if (!current || current.createdAt !== record.createdAt)
      return ok(stays('its record is missing, or belongs to another worktree of that name'));
    if (isPassed(record, world.home)) return ok(stays('its session was taken over by another process'));
    if (isTaken(current, record, world.home))
      return ok(stays(`it is in use (process ${current.owner?.pid})`));
    if (permit.kind !== 'told' && (current.keep || record.keep)) return ok(stays('it is marked to be kept'));
    // Git would follow a link and remove its target, which was never approved.
    if (resolveRealPath(current.path) !== current.path)
      return ok(stays(`${current.path} is a link or below one: remove that link first`));
    const content = await readWorktreeContent(current, world);
    if (!content.ok && permit.kind !== 'told') return content;
    const against = content.ok ? await objection(permit, current, content.value, world) : ok(undefined);
    if (!against.ok) return against;
    if (against.value !== undefined) return ok(stays(against.value));
    return await takeAway(current, permit, content.ok ? content.value : undefined, world);
  } finally {
    held.value();
  }
}

function stays(reason: string): Removal {
  return { removed: false, reason };
}

/** By another process than the one that asks. */
export function isTaken(
  current: WorktreeRecord,
  { owner }: Pick<WorktreeRecord, 'owner'>,
  home: string,
): boolean {
  if (!isInUse(current, home)) return false;
  return owner === null || current.owner?.pid !== owner.pid || current.owner.start !== owner.start;
}

/** It stays, and is unused from here on; unless another process has entered it and owns it now. */
export async function releaseWorktree(record: WorktreeRecord, world: WorktreeWorld): Promise<Result<void>> {
  const held = await holdRepository(record.common, world);
  if (!held.ok) return held;
  try {
    const current = readRecord(world.home, record.common, record.slug) ?? record;
    if (current.createdAt !== record.createdAt) return ok(undefined);
    if (isPassed(record, world.home) || isTaken(current, record, world.home)) return ok(undefined);
    await unlockWorktree(current, world);
    world.step?.('left');
    const { proven: _, ...rest } = current;
    const keep = record.keep ? { keep: record.keep } : {};
    return writeRecord(world, { ...rest, ...keep, state: 'ready', owner: null });
  } finally {
    held.value();
  }
}

/** Removes it with everything in it. Only at the user's request, or where no agent can have worked in it. */
export async function discardWorktree(
  record: WorktreeRecord,
  world: WorktreeWorld,
): Promise<Result<boolean>> {
  const removal = await removeWorktree(record, { kind: 'told' }, world);
  return removal.ok ? ok(removal.value.removed) : removal;
}

async function takeAway(
  record: WorktreeRecord,
  permit: RemovalPermit,
  content: Content | undefined,
  world: WorktreeWorld,
): Promise<Result<Removal>> {
  const { proven: begun, ...before } = record;
  // An interrupted removal may have removed half of the files.
  const proven = permit.kind === 'begun' ? begun : content && pickProven(content);
  // The removing process owns it: if that process dies, the removal is found and finished.
  const owner = processMark(process.pid);
  const removing: WorktreeRecord = { ...before, owner, state: 'removing', ...(proven ? { proven } : {}) };
  const marked = writeRecord(world, removing);
  if (!marked.ok) return marked;
  world.step?.('marked');
  await unlockWorktree(record, world);
  world.step?.('unlocked');
  const force = permit.kind !== 'unchanged' || content?.hasSubmodules === true;
  const gone = await removeFiles(record, world, force);
  if (!gone.ok || !gone.value.removed) {
    writeRecord(world, { ...before, state: 'ready' });
    return gone;
  }
  world.step?.('removed');
  const unbranched = await removeBranch(record, proven?.tip, world);
  if (!unbranched.ok) return unbranched;
  world.step?.('unbranched');
  dropRecord(world.home, record);
  return gone;
}

function pickProven({ head, tip, tree }: Content): NonNullable<WorktreeRecord['proven']> {
  return { head, tip, tree };
}

/** A missing lock is not a failure. */
export async function unlockWorktree({ path, main }: WorktreeRecord, world: WorktreeWorld): Promise<void> {
  await bindGit(world, main)(['worktree', 'unlock', path]);
}

/**
 * By our own hands: git would find what it removes by its name, and a command that still runs in the worktree could lead it
 * to any other directory meanwhile. Without `force` it is looked at once more, as git would.
 */
async function removeFiles(
  { path, main, common, slug }: WorktreeRecord,
  world: WorktreeWorld,
  force: boolean,
): Promise<Result<Removal>> {
  if (dirname(path) !== join(main, '.cadre', 'worktrees'))
    return failure(`${path} is not a worktree of Cadre.`);
  const own = [findAdministration(common, path), ...unborn({ common, slug })];
  if (!force) {
    const status = await bindGit(world, path)(['status', '--porcelain', '--untracked-files=normal']);
    if (!status.ok) return status;
    if (status.value !== '') return ok(stays(`${path} contains modified or untracked files`));
  }
  for (const directory of [path, ...own]) {
    const allowed = checkWorld(world);
    if (!allowed.ok) return allowed;
    if (directory !== undefined && !(await removeTreeMeanwhile(directory)))
      return failure(`${directory} could not be removed.`, 'Check the owner of its files.');
  }
  removeEmpty(join(common, 'worktrees'));
  return ok({ removed: true });
}

/** Git's data of a worktree whose creation was interrupted before its path was written; its lock is ours. */
function unborn({ common, slug }: Pick<WorktreeRecord, 'common' | 'slug'>): string[] {
  const directory = join(common, 'worktrees');
  return listNames(directory)
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

/** Deleted only if it has not moved: git compares and deletes in one step. */
async function removeBranch(
  { branch, main, common }: WorktreeRecord,
  stood: string | undefined,
  world: WorktreeWorld,
): Promise<Result<void>> {
  const git = bindGit(world, main);
  const ref = `refs/heads/${branch}`;
  const tip = await git(['rev-parse', '--verify', '--quiet', ref], { alsoGood: [1] });
  if (!tip.ok) return tip;
  const isThere = tip.value.trim() !== '' && stood !== '';
  if (isThere) {
    const removed = await git(['update-ref', '-d', ref, stood ?? tip.value.trim()]);
    if (!removed.ok) return removed;
  }
  for (const place of [join(common, ref), join(common, 'logs', ref)]) removeEmpty(dirname(place));
  return ok(undefined);
}

function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Already removed, or it belongs to another process.
  }
}
