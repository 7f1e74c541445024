import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { processMark } from '../lib/process-mark.ts';
import { ok, type Result } from '../lib/result.ts';
import { type Diffstat, diffstat, snapshotTree } from './worktree-changes.ts';
import { createWorktree, type NewWorktree, type WorktreeOrder } from './worktree-create.ts';
import { type FillOptions, fillWorktree } from './worktree-fill.ts';
import { readRecord, type WorktreeRecord, writeRecord } from './worktree-record.ts';
import { discardWorktree, lockReason, removeIfUnchanged, unlockWorktree } from './worktree-remove.ts';
import { gitIn, type WorktreeWorld } from './worktree-repository.ts';

/** How the use of a worktree ended. */
export type WorktreeEnd = { kept: false } | { kept: true; path: string; branch: string; diffstat: Diffstat };

/** Makes a worktree, works in it, and clears up: unchanged it is removed with its branch, changed it is kept (WT3). */
export async function withWorktree<T>(
  order: WorktreeOrder,
  world: WorktreeWorld,
  work: (made: NewWorktree) => Promise<T>,
): Promise<Result<{ value: T; end: WorktreeEnd }>> {
  const made = await createWorktree(order, world);
  if (!made.ok) return made;
  let value: T;
  try {
    value = await work(made.value);
  } catch (error) {
    await leaveWorktree(made.value.record, world);
    throw error;
  }
  const end = await leaveWorktree(made.value.record, world);
  return end.ok ? ok({ value, end: end.value }) : end;
}

/** The work in it is over, for now: unchanged it goes; with something in it, it stays, unlocked. */
export async function leaveWorktree(
  record: WorktreeRecord,
  world: WorktreeWorld,
): Promise<Result<WorktreeEnd>> {
  if (!record.keep) {
    const removed = await removeIfUnchanged(record, world);
    if (removed.ok && removed.value) return ok({ kept: false });
  }
  await unlockWorktree(record, world);
  world.step?.('left');
  const noted = writeRecord(world.home, { ...record, state: 'ready', owner: null });
  if (!noted.ok) return noted;
  const stat = await workIn(record, world);
  const none = { files: [], added: 0, removed: 0 };
  return ok({ kept: true, path: record.path, branch: record.branch, diffstat: stat.ok ? stat.value : none });
}

/** All that was done in it, committed or not. */
export async function workIn(record: WorktreeRecord, world: WorktreeWorld): Promise<Result<Diffstat>> {
  const tree = await snapshotTree(record.path, world);
  return tree.ok ? diffstat(record.base, tree.value, record.path, world) : tree;
}

/**
 * Goes on in a worktree that there was. Where it was removed it is made again, at its branch, or where that is gone too
 * at what it began from.
 */
export async function enterAgain(
  before: Omit<WorktreeRecord, 'state' | 'owner'>,
  fill: FillOptions,
  world: WorktreeWorld,
): Promise<Result<NewWorktree>> {
  const known = readRecord(world.home, before.common, before.slug) ?? before;
  const record: WorktreeRecord = { ...known, state: 'ready', owner: processMark(process.pid) };
  const git = gitIn(world, record.main);
  if (existsSync(record.path)) {
    await git(['worktree', 'unlock', record.path]);
    const locked = await git(['worktree', 'lock', '--reason', lockReason(record), record.path]);
    if (!locked.ok) return locked;
    const noted = writeRecord(world.home, record);
    return noted.ok ? ok({ record, notes: [] }) : noted;
  }
  const tip = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${record.branch}`], {
    alsoGood: [1],
  });
  if (!tip.ok) return tip;
  const noted = writeRecord(world.home, { ...record, state: 'creating' });
  if (!noted.ok) return noted;
  mkdirSync(dirname(record.path), { recursive: true, mode: 0o700 });
  const at =
    tip.value.trim() === ''
      ? ['--no-track', '-b', record.branch, record.path, record.base]
      : [record.path, record.branch];
  const lock = ['--lock', '--reason', lockReason(record)];
  // Its entry may still be there where only the directory was removed.
  const added = await git(['worktree', 'add', '--quiet', '--force', '--force', ...lock, ...at]);
  if (!added.ok) {
    if (tip.value.trim() === '') await discardWorktree({ ...record, state: 'creating' }, world);
    return added;
  }
  const notes = await fillWorktree(record.main, record.path, fill, world);
  const ready = writeRecord(world.home, record);
  return ready.ok ? ok({ record, notes }) : ready;
}
