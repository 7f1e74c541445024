import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { processMark } from '../../lib/processes/mark.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { addWorktree } from './add.ts';
import { type Diffstat, diffstat } from './changes.ts';
import { readWorktreeContent } from './content.ts';
import type { NewWorktree } from './create.ts';
import { type FillOptions, fillWorktree } from './fill.ts';
import { isInUse } from './in-use.ts';
import { describeLandedWork, findGrownBranch, findLandedWork, type LandedWork, shorten } from './landed.ts';
import { readRecord, type WorktreeRecord, writeRecord } from './record.ts';
import { discardWorktree, holdRepository, lockReason, releaseWorktree, removeWorktree } from './remove.ts';
import { bindGit, type WorktreeWorld } from './repository.ts';
import { makeStanding } from './standing.ts';
import { findUsualStart } from './start.ts';

/** The outcome when the use of a worktree ends. */
export type WorktreeEnd =
  | { kept: false }
  /** `obstacle`: why it cannot land as it was left, and what to do about it. */
  | { kept: true; path: string; branch: string; diffstat: Diffstat; obstacle?: string };

/** Work in it is over for now: without changes it is removed; otherwise it stays, unlocked. */
export async function leaveWorktree(
  record: WorktreeRecord,
  world: WorktreeWorld,
): Promise<Result<WorktreeEnd>> {
  if (record.scratch) {
    // What could not be removed goes with the process.
    const gone = await discardWorktree(record, world);
    return gone.ok ? ok({ kept: false }) : gone;
  }
  const removal = await removeWorktree(record, { kind: 'unchanged' }, world);
  if (removal.ok && removal.value.removed) return ok({ kept: false });
  const released = await releaseWorktree(record, world);
  return released.ok ? ok(await describeLeft(record, world)) : released;
}

type LeftWorktree = Extract<WorktreeEnd, { kept: true }>;

/** What is in a worktree that nobody works in. */
export async function describeLeft(record: WorktreeRecord, world: WorktreeWorld): Promise<LeftWorktree> {
  const content = await readWorktreeContent(record, world);
  const now = content.ok ? { tip: content.value.head, tree: content.value.tree } : undefined;
  const start = now ? await findUsualStart(record, now, world) : record.base;
  const stat = content.ok ? await diffstat(start, content.value.tree, record.path, world) : content;
  const obstacle = content.ok ? content.value.obstacles[0] : content.problem.message;
  return {
    ...{ kept: true, path: record.path, branch: record.branch },
    diffstat: stat.ok ? stat.value : { files: [], added: 0, removed: 0 },
    ...(obstacle === undefined ? {} : { obstacle }),
  };
}

/**
 * Continues in an earlier worktree. If it was removed it is made again: at its branch; where that is missing too, from the
 * branch that its work has landed on, or would land on if that has its base; else at its base.
 */
export async function enterAgain(
  before: Omit<WorktreeRecord, 'state' | 'owner'>,
  fill: FillOptions,
  world: WorktreeWorld,
): Promise<Result<NewWorktree>> {
  const entered = await takeAgain(before, world);
  if (!entered.ok) return entered;
  const { record, isNew, hasBranch } = entered.value;
  const stood = isNew ? ok(undefined) : makeStanding(record);
  if (!stood.ok) {
    await releaseWorktree(record, world);
    return stood;
  }
  if (!isNew) return ok({ record, notes: [] });
  const added = await addAgain(record, hasBranch, world);
  if (!added.ok) {
    if (!hasBranch) await discardWorktree(record, world);
    return added;
  }
  const filled = await fillWorktree({ ignored: record.main }, record.path, fill, world);
  const again = makeStanding(record);
  if (!again.ok) return again;
  const { submodules: _, ...rest } = record;
  const ready: WorktreeRecord = { ...rest, ...filled.record, state: 'ready' };
  const noted = writeRecord(world, ready);
  return noted.ok ? ok({ record: ready, notes: filled.notes, news: describeRemade(entered.value) }) : noted;
}

interface Taken {
  record: WorktreeRecord;
  isNew: boolean;
  hasBranch: boolean;
  /** Where its earlier work is, if that landed and the worktree was removed. */
  landed?: LandedWork | undefined;
  /** The branch that it starts from, where it has moved since and nothing of the agent's is left. */
  grown?: Pick<LandedWork, 'branch' | 'tip'> | undefined;
}

/** Takes ownership while no other process can remove it. */
async function takeAgain(
  before: Omit<WorktreeRecord, 'state' | 'owner'>,
  world: WorktreeWorld,
): Promise<Result<Taken>> {
  const held = await holdRepository(before.common, world);
  if (!held.ok) return held;
  try {
    const known = readRecord(world.home, before.common, before.slug);
    if (known && isInUse(known, world.home))
      return usage(
        `The worktree ${known.slug} is in use (process ${known.owner?.pid}).`,
        'Choose another one, or wait until it is free.',
      );
    const isNew = !existsSync(before.path);
    const state = isNew ? 'creating' : 'ready';
    const { proven: _, ...kept } = known ?? before;
    // It belongs to the session that works in it now.
    const { session, stands, workspace } = before;
    const git = bindGit(world, kept.main);
    const tip = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${kept.branch}`], {
      alsoGood: [1],
    });
    if (!tip.ok) return tip;
    const hasBranch = tip.value.trim() !== '';
    const landed = isNew && !hasBranch ? await findLandedWork(kept, world) : ok(undefined);
    if (!landed.ok) return landed;
    const grown = isNew && !hasBranch && !landed.value ? await findGrownBranch(kept, world) : undefined;
    const tipNow = (landed.value ?? grown)?.tip;
    const record: WorktreeRecord = {
      ...kept,
      // What was not committed is lost with the earlier one.
      ...(isNew ? { landed: undefined, landing: undefined } : {}),
      ...(tipNow === undefined ? {} : { base: tipNow, carries: undefined }),
      session,
      stands,
      workspace,
      state,
      owner: processMark(process.pid),
    };
    if (!isNew) {
      await git(['worktree', 'unlock', record.path]);
      const locked = await git(['worktree', 'lock', '--reason', lockReason(record), record.path]);
      if (!locked.ok) return locked;
    }
    const noted = writeRecord(world, record);
    return noted.ok ? ok({ record, isNew, hasBranch, landed: landed.value, grown }) : noted;
  } finally {
    held.value();
  }
}

/** For the agent that continues in it. */
function describeRemade({ record: { branch, base }, hasBranch, landed, grown }: Taken): string {
  if (landed) return describeLandedWork(landed);
  if (hasBranch)
    return `Your worktree had been removed and was made again from its branch ${branch}. What you had not committed is lost.`;
  return (
    'Your worktree had been removed, since nothing was left in it or the user dropped it. ' +
    (grown
      ? `It was made again from ${grown.branch} at ${shorten(grown.tip)}, with all that has come to that branch since. Files may differ from what you read before.`
      : `It was made again from the commit that it began with, ${shorten(base)}.`)
  );
}

async function addAgain(record: WorktreeRecord, hasBranch: boolean, world: WorktreeWorld) {
  const { main, path, branch, base } = record;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const at = hasBranch ? [path, branch] : ['--no-track', '-b', branch, path, base];
  // Its entry may still exist where only the directory was removed.
  return addWorktree(record, ['--force', '--force', ...at], world, main);
}
