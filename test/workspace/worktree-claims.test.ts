import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { claimLease } from '../../src/lib/leases/claim-lease.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { processMark } from '../../src/lib/processes/mark.ts';
import { locateRunning } from '../../src/workspace/running.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { isInUse } from '../../src/workspace/worktrees/in-use.ts';
import { listRecords } from '../../src/workspace/worktrees/record.ts';
import { findDeadWorktrees } from '../../src/workspace/worktrees/sweep.ts';
import { enterAgain, leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { ground } from './worktree-support.ts';

/** A worktree of session `s`, owned by this process; the session is then claimed by a process with this pid. */
async function taken(pid: number) {
  const at = await ground();
  const made = await createWorktree(at.order('one'), at.world);
  if (!made.ok) throw new Error(made.problem.message);
  const machine = { ...systemMachine, self: () => processMark(pid) };
  const claimed = claimLease(locateRunning(at.home, machine), 's');
  expect(claimed).toMatchObject({ ok: true, value: { state: 'won' } });
  return { at, record: made.value.record };
}

test('a worktree is in use while its process has the session', async () => {
  const { at, record } = await taken(process.pid);
  expect(isInUse(record, at.home)).toBe(true);
  expect(findDeadWorktrees(at.home)).toEqual([]);
  const { state: _, owner: __, ...before } = record;
  expect(await enterAgain(before, at.order('one').fill, at.world)).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('is in use') },
  });
});

test('SE1 a process whose session was taken over leaves its worktrees as they are, and its successor enters them', async () => {
  const other = Bun.spawn(['sleep', '300']);
  try {
    const { at, record } = await taken(other.pid);
    expect(isInUse(record, at.home)).toBe(false);
    expect(findDeadWorktrees(at.home)).toEqual([]);
    await leaveWorktree(record, at.world);
    expect(existsSync(record.path)).toBe(true);
    expect(listRecords(at.home)).toEqual([record]);
    const { state: _, owner: __, ...before } = record;
    expect((await enterAgain(before, at.order('one').fill, at.world)).ok).toBe(true);
  } finally {
    other.kill();
  }
});
