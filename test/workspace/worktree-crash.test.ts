import { expect, test } from 'bun:test';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { listRecords, writeRecord } from '../../src/workspace/worktrees/record.ts';
import { sweepWorktrees } from '../../src/workspace/worktrees/sweep.ts';
import { type Ground, ground, inProcess } from './worktree-support.ts';

async function isAllGone(at: Ground): Promise<void> {
  expect(await at.listed()).toEqual([]);
  expect(await at.branches()).toEqual([]);
  expect(listRecords(at.home)).toEqual([]);
  const left = at.repository.file('.cadre/worktrees');
  expect(existsSync(left) ? readdirSync(left) : []).toEqual([]);
  const own = at.repository.file('.git/worktrees');
  expect(existsSync(own) ? readdirSync(own) : []).toEqual([]);
  expect(await at.repository.git('status', '--porcelain')).toBe('');
}

for (const step of ['held', 'recorded', 'hidden', 'added', 'filled', 'ready'])
  test(`R14 killed after "${step}" of making one: the next start removes all of it`, async () => {
    const at = await ground();
    expect((await inProcess('create', at.repository.path, at.home, 'one', step)).killed).toBe(true);
    await sweepWorktrees(at.world);
    await isAllGone(at);
    expect((await createWorktree(at.order('one'), at.world)).ok).toBe(true);
  });

for (const step of ['marked', 'unlocked', 'removed', 'unbranched'])
  test(`R14 killed after "${step}" of removing one: the next start finishes it`, async () => {
    const at = await ground();
    expect((await inProcess('leave', at.repository.path, at.home, 'one', step)).killed).toBe(true);
    await sweepWorktrees(at.world);
    await isAllGone(at);
  });

for (const step of ['ready', 'left'])
  test(`R14 killed at "${step}" with work in it: kept, unlocked, and all agree on it`, async () => {
    const at = await ground();
    await inProcess('dirty', at.repository.path, at.home, 'one', step);
    const path = at.repository.file('.cadre/worktrees/one');
    if (step === 'ready') writeFileSync(join(path, 'new.txt'), 'work');
    expect((await sweepWorktrees(at.world)).map(({ end }) => end)).toEqual(['kept']);
    expect(existsSync(join(path, 'new.txt'))).toBe(true);
    expect(await at.listed()).toEqual([path]);
    expect(await at.repository.git('worktree', 'list', '--porcelain')).not.toContain('locked');
    expect(listRecords(at.home).map(({ owner }) => owner)).toEqual([null]);
  });

test('R14 a checkout that was cut off in the middle is removed, whatever of it is there', async () => {
  const at = await ground();
  await inProcess('create', at.repository.path, at.home, 'one', 'added');
  rmSync(at.repository.file('.git/worktrees/one/index'));
  rmSync(at.repository.file('.git/worktrees/one/gitdir'));
  rmSync(at.repository.file('.cadre/worktrees/one/a.txt'));
  await sweepWorktrees(at.world);
  await isAllGone(at);
});

test('R14 a removal that was cut off after half of the files is finished', async () => {
  const at = await ground({ 'a.txt': 'a', 'b.txt': 'b' });
  await inProcess('leave', at.repository.path, at.home, 'one', 'unlocked');
  rmSync(at.repository.file('.cadre/worktrees/one/a.txt'));
  rmSync(at.repository.file('.cadre/worktrees/one/.git'));
  await sweepWorktrees(at.world);
  await isAllGone(at);
});

test('R14 work that came into a tree after its removal had begun is kept', async () => {
  const at = await ground();
  await inProcess('leave', at.repository.path, at.home, 'one', 'unlocked');
  const file = at.repository.file('.cadre/worktrees/one/late.txt');
  writeFileSync(file, 'late');
  expect((await sweepWorktrees(at.world)).map(({ end }) => end)).toEqual(['kept']);
  expect(existsSync(file)).toBe(true);
});

test('one that a living process uses is left alone', async () => {
  const at = await ground();
  await createWorktree(at.order('one'), at.world);
  expect(await sweepWorktrees(at.world)).toEqual([]);
  expect(await at.listed()).toHaveLength(1);
});

test('work in a repository that was away for a start is known when it is back', async () => {
  const at = await ground();
  await inProcess('dirty', at.repository.path, at.home, 'one', 'left');
  const away = `${at.repository.path}-away`;
  renameSync(at.repository.path, away);
  expect(await sweepWorktrees(at.world)).toEqual([]);
  renameSync(away, at.repository.path);
  expect((await sweepWorktrees(at.world)).map(({ end }) => end)).toEqual(['kept']);
  expect(listRecords(at.home).map(({ slug }) => slug)).toEqual(['one']);
});

test('a record of a repository that has been gone for a year goes', async () => {
  const at = await ground();
  const made = await createWorktree(at.order('one'), at.world);
  if (!made.ok) throw new Error(made.problem.message);
  writeRecord(at, { ...made.value.record, owner: { pid: 1, start: 'never' } });
  await at.repository.dispose();
  const later = Date.parse(made.value.record.createdAt) + 366 * 24 * 60 * 60_000;
  await sweepWorktrees({ ...at.world, clock: manualClock(later) });
  expect(listRecords(at.home)).toEqual([]);
});

test('20 made at once by 20 processes are all there, each whole, and all go again', async () => {
  const at = await ground();
  const names = Array.from({ length: 20 }, (_, index) => `w${index}`);
  const ends = await Promise.all(names.map((name) => inProcess('create', at.repository.path, at.home, name)));
  expect(ends.map(({ code }) => code)).toEqual(names.map(() => 0));
  expect(await at.listed()).toHaveLength(20);
  expect(await at.branches()).toHaveLength(20);
  for (const name of names)
    expect(existsSync(at.repository.file(`.cadre/worktrees/${name}/a.txt`))).toBe(true);
  expect((await sweepWorktrees(at.world)).every(({ end }) => end === 'removed')).toBe(true);
  await isAllGone(at);
});
