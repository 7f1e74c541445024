import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { processMark } from '../../src/lib/processes/mark.ts';
import { guardOwner } from '../../src/lib/processes/owner-rights.ts';
import { ownerVariable } from '../../src/lib/processes/process.ts';
import { failure, ok } from '../../src/lib/result.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { recordPath, writeRecord } from '../../src/workspace/worktrees/record.ts';
import { discardWorktree, holdRepository } from '../../src/workspace/worktrees/remove.ts';
import { type Ground, ground } from './worktree-support.ts';

/** A process whose session is taken over when the test says so. */
async function passable() {
  const at = await ground();
  let isPassed = false;
  const check = () => (isPassed ? failure('it was taken over') : ok(undefined));
  const session = basename(at.repository.path);
  const world = { ...at.world, check, env: { ...at.world.env, [ownerVariable]: session } };
  guardOwner(session, check);
  const pass = () => {
    isPassed = true;
  };
  return { at, world, pass };
}

async function make(at: Ground) {
  const made = await createWorktree(at.order('one'), at.world);
  if (!made.ok) throw new Error(made.problem.message);
  return made.value.record;
}

test('SE1 a process whose session was taken over changes no record of a worktree', async () => {
  const { at, world, pass } = await passable();
  const record = await make(at);
  const path = recordPath(at.home, record.common, record.slug);
  const before = readFileSync(path, 'utf8');
  pass();
  expect(writeRecord(world, { ...record, session: 'another' })).toMatchObject({ ok: false });
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('SE1 a process whose session is taken over while it waits for the lock of worktrees does not take it', async () => {
  const { at, world, pass } = await passable();
  const common = at.repository.file('.git');
  const lock = join(common, 'cadre-worktrees.lock');
  writeFileSync(lock, JSON.stringify(processMark(process.pid)));
  const clock = manualClock();
  const waiting = holdRepository(common, { ...world, clock });
  pass();
  rmSync(lock);
  const ended = await Promise.race([waiting, advance(clock)]);
  expect(ended).toMatchObject({ ok: false, problem: { message: 'it was taken over' } });
  expect(readdirSync(common).filter((name) => name.startsWith('cadre-worktrees'))).toEqual([]);
});

test('SE1 a process whose session is taken over while it removes a worktree does not remove the files by hand', async () => {
  const { at, world, pass } = await passable();
  const record = await make(at);
  const step = (name: string) => (name === 'unlocked' ? pass() : undefined);
  expect(await discardWorktree(record, { ...world, step })).toMatchObject({ ok: false });
  expect(existsSync(join(record.path, 'a.txt'))).toBe(true);
});

async function advance(clock: ReturnType<typeof manualClock>): Promise<never> {
  for (;;) {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
