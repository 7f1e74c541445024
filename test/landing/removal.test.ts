import { expect, test } from 'bun:test';
import { copyFileSync, existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { land } from '../../src/landing/land.ts';
import { renderReport } from '../../src/landing/render.ts';
import { processMark } from '../../src/lib/processes/mark.ts';
import {
  listRecords,
  readRecord,
  type WorktreeRecord,
  writeRecord,
} from '../../src/workspace/worktrees/record.ts';
import { sweepWorktrees } from '../../src/workspace/worktrees/sweep.ts';
import { enterAgain } from '../../src/workspace/worktrees/worktree.ts';
import { temporaryDirectory } from '../support/index.ts';
import { dropAll, expectOk, type Field, field, landAll, landInProcess, states } from './support.ts';

/** Lands with something that happens between the plan and the end. */
async function landWhile(at: Field, meanwhile: () => Promise<unknown>) {
  const agree = async () => {
    await meanwhile();
    return true;
  };
  return expectOk(await land(at.landing, { agree }));
}

const enter = (at: Field, record: WorktreeRecord) => enterAgain(record, at.landing.fill, at.landing.world);

test('a worktree that somebody went to work in while it was landed stays, with its branch', async () => {
  const at = await field();
  const one = await at.work('one', { 'new.txt': 'x\n' });
  const report = await landWhile(at, async () => expectOk(await enter(at, one)));
  expect(report.landings).toMatchObject([{ status: 'landed', removed: false }]);
  expect(renderReport(report)).toContain('its worktree stays: it is in use');
  expect(existsSync(join(one.path, 'new.txt'))).toBe(true);
  expect(listRecords(at.home)[0]?.owner?.pid).toBe(process.pid);
  expect(await at.repository.git('worktree', 'list', '--porcelain')).toContain('locked');
});

test.each([
  ['a file', async (_: Field, path: string) => writeFileSync(join(path, 'late.txt'), 'late\n')],
  [
    'a commit',
    async (at: Field, path: string) => {
      await at.repository.git('-C', path, 'add', '--all');
      await at.repository.git('-C', path, 'commit', '--quiet', '--message=Late');
    },
  ],
  [
    'a commit that is not checked out',
    async (at: Field, path: string) => {
      await at.repository.git('-C', path, 'commit', '--quiet', '--allow-empty', '--message=Late');
      await at.repository.git('-C', path, 'checkout', '--quiet', '--detach', 'HEAD~1');
    },
  ],
])('%s that came in while it was landed keeps it', async (_, work) => {
  const at = await field();
  const one = await at.work('one', { 'new.txt': 'x\n' });
  const report = await landWhile(at, () => work(at, one.path));
  expect(report.landings).toMatchObject([{ status: 'landed', removed: false }]);
  expect(await at.listed()).toEqual([one.path]);
});

test('one that was to be kept meanwhile is kept', async () => {
  const at = await field();
  const one = await at.work('one', { 'new.txt': 'x\n' });
  await landWhile(at, async () => writeRecord(at, { ...one, keep: true }));
  expect(await at.listed()).toEqual([one.path]);
});

test('a new one of the same name is not taken for the one that was landed', async () => {
  const at = await field();
  await at.work('one', { 'new.txt': 'x\n' });
  await landWhile(at, async () => {
    await dropAll(at, ['one']);
    await at.work('one', { 'new.txt': 'x\n' });
  });
  expect(await at.listed()).toHaveLength(1);
  expect(listRecords(at.home)).toHaveLength(1);
});

test('two cannot work in the same one', async () => {
  const at = await field();
  const one = await at.work('one', { 'new.txt': 'x\n' });
  expectOk(await enter(at, one));
  const second = await enter(at, one);
  expect(second.ok ? '' : second.problem.message).toContain('in use');
});

test('clearing up behind a dead process does not take one from whoever has come into it since', async () => {
  const at = await field();
  const one = await at.work('one', { 'new.txt': 'x\n' });
  writeRecord(at, { ...one, owner: { pid: 1, start: 'never' } });
  const owner = processMark(process.pid);
  const step = (name: string) => {
    if (name === 'found') writeRecord(at, { ...one, owner });
  };
  await sweepWorktrees({ ...at.landing.world, step });
  expect(readRecord(at.home, one.common, 'one')?.owner).toEqual(owner);
});

for (const commit of [undefined, 'Work'])
  test(`R14 the removal of a landed one (${commit ?? 'not committed'}) that was cut off half way is finished`, async () => {
    const at = await field({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const one = await at.work('one', { 'new.txt': 'x\n' }, commit === undefined ? {} : { commit });
    expect((await landInProcess(at.repository.path, at.home, 'unlocked')).killed).toBe(true);
    rmSync(join(one.path, 'a.txt'));
    rmSync(join(one.path, '.git'));
    expect((await sweepWorktrees(at.world)).map(({ end }) => end)).toEqual(['removed']);
    expect(await at.listed()).toEqual([]);
    expect(await at.branches()).toEqual([]);
    expect(await at.repository.read('a.txt')).toBe('a\n');
  });

test('R14 work that came into one whose removal was cut off is kept, and what was removed of it is put back', async () => {
  const at = await field({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const one = await at.work('one', { 'new.txt': 'x\n' });
  await landInProcess(at.repository.path, at.home, 'unlocked');
  rmSync(join(one.path, 'a.txt'));
  writeFileSync(join(one.path, 'late.txt'), 'late\n');
  expect((await sweepWorktrees(at.world)).map(({ end }) => end)).toEqual(['kept']);
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await at.repository.read('late.txt')).toBe('late\n');
  expect(await at.repository.read('a.txt')).toBe('a\n');
});

test("what a gate that was killed left behind is nobody's work: it goes, and is never landed", async () => {
  const at = await field();
  await at.work('one', { 'new.txt': 'x\n' });
  await landInProcess(at.repository.path, at.home, 'marked', 'touch made-by-gate');
  await sweepWorktrees(at.world);
  expect(listRecords(at.home).map(({ slug }) => slug)).toEqual(['one']);
  await landAll(at);
  expect(existsSync(at.repository.file('made-by-gate'))).toBe(false);
});

test('a commit of a directory that somebody removed is not lost with it', async () => {
  const at = await field();
  const one = await at.work('one', { 'new.txt': 'x\n' });
  await at.repository.git('-C', one.path, 'checkout', '--quiet', '--detach');
  await at.repository.git('-C', one.path, 'add', '--all');
  await at.repository.git('-C', one.path, 'commit', '--quiet', '--message=Detached');
  rmSync(one.path, { recursive: true });
  await sweepWorktrees(at.world);
  expect(await at.repository.git('log', '-1', '--format=%s', 'cadre/one/work')).toBe('Detached\n');
});

test('a link in the place of a worktree leads no removal elsewhere, whoever asks for it', async () => {
  const at = await field();
  const record = await at.work('one', { 'new.txt': 'x\n' });
  const elsewhere = temporaryDirectory().path;
  writeFileSync(join(elsewhere, 'mine.txt'), 'mine\n');
  copyFileSync(join(record.path, '.git'), join(elsewhere, '.git'));
  renameSync(record.path, `${record.path}-moved`);
  symlinkSync(elsewhere, record.path);
  const [dropped] = await dropAll(at, ['one']);
  expect(dropped).toMatchObject({ dropped: false, reason: expect.stringContaining('is a link') });
  await sweepWorktrees(at.world);
  await landAll(at);
  expect(existsSync(join(elsewhere, 'mine.txt'))).toBe(true);
});
