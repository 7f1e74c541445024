import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { journalPath } from '../../src/landing/forward.ts';
import { land } from '../../src/landing/land.ts';
import { recoverLandings } from '../../src/landing/recover.ts';
import { sweepWorktrees } from '../../src/workspace/worktree-sweep.ts';
import { type Field, field, landInProcess, yes } from './support.ts';

async function isWhole(at: Field): Promise<void> {
  expect(await at.repository.git('status', '--porcelain')).toBe('');
  expect(existsSync(at.repository.file('.git/index.lock'))).toBe(false);
  const landed = (await at.repository.git('log', '--format=%s')).trim().split('\n').length - 1;
  expect(existsSync(at.repository.file('one.txt'))).toBe(landed === 2);
  expect(existsSync(at.repository.file('two.txt'))).toBe(landed === 2);
  expect([0, 2]).toContain(landed);
  expect(existsSync(`${at.home}/landing`) ? readdirSync(`${at.home}/landing`) : []).toEqual([]);
}

for (const step of ['stacked', 'checking', 'journaled', 'forwarded', 'marked', 'removed'])
  test(`R14 killed at "${step}" of landing: nothing is half merged, no work is lost, and the next landing finishes`, async () => {
    const at = await field();
    await at.work('one', { 'one.txt': '1\n' });
    await at.work('two', { 'two.txt': '2\n' });
    expect((await landInProcess(at.repository.path, at.home, step, 'true')).killed).toBe(true);
    await recoverLandings(at.world);
    await sweepWorktrees(at.world);
    await isWhole(at);
    const again = await land(at.landing, { agree: yes });
    expect(again.ok).toBe(true);
    expect(existsSync(at.repository.file('one.txt')) && existsSync(at.repository.file('two.txt'))).toBe(true);
    await isWhole(at);
    expect(await at.listed()).toEqual([]);
    expect(await at.branches()).toEqual([]);
  });

async function cutOff(at: Field): Promise<void> {
  const from = (await at.repository.git('rev-parse', 'main')).trim();
  await at.work('one', { 'one.txt': '1\n', 'a.txt': 'new\n' });
  await land(at.landing, { agree: yes });
  const to = (await at.repository.git('rev-parse', 'main')).trim();
  await at.repository.git('reset', '--quiet', '--hard', from);
  const path = journalPath(at.home, at.landing.repository.common);
  mkdirSync(dirname(path), { recursive: true });
  const top = at.repository.path;
  writeFileSync(
    path,
    JSON.stringify({ format: 1, top, branch: 'main', from, to, owner: { pid: 1, start: 'never' } }),
  );
}

test('a checkout that git had half written is finished, with work of the user beside it untouched', async () => {
  const at = await field();
  await cutOff(at);
  await at.repository.write('a.txt', 'new\n');
  await at.repository.write('mine.txt', 'mine');
  writeFileSync(at.repository.file('.git/index.lock'), '');
  expect((await recoverLandings(at.world))[0]).toContain('has been finished');
  expect(await at.repository.read('one.txt')).toBe('1\n');
  expect(await at.repository.git('status', '--porcelain')).toBe('?? mine.txt\n');
  expect(await at.repository.git('log', '-1', '--format=%s')).toBe('Work in one\n');
});

test('one whose file was just being replaced is finished', async () => {
  const at = await field();
  await cutOff(at);
  rmSync(at.repository.file('a.txt'));
  await recoverLandings(at.world);
  expect(await at.repository.read('a.txt')).toBe('new\n');
  expect(await at.repository.git('status', '--porcelain')).toBe('');
});

test('files that are neither as before nor as after are not touched, and named', async () => {
  const at = await field();
  await cutOff(at);
  await at.repository.write('a.txt', 'edited since\n');
  await at.repository.write('one.txt', '1\n');
  expect((await recoverLandings(at.world))[0]).toContain('a.txt');
  expect(await at.repository.read('a.txt')).toBe('edited since\n');
});
