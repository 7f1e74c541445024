import { expect, test } from 'bun:test';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { openLanding } from '../../src/commands/worktree/open-landing.ts';
import { land } from '../../src/landing/land.ts';
import { recoverLandings } from '../../src/landing/moving/recover.ts';
import { renderReport } from '../../src/landing/render.ts';
import { processMark } from '../../src/lib/processes/mark.ts';
import { sweepWorktrees } from '../../src/workspace/worktrees/sweep.ts';
import { expectOk, type Field, field, landAll, landInProcess, states, yes } from './support.ts';

function leftovers(at: Field): string[] {
  const namesIn = (path: string) => (existsSync(path) ? readdirSync(path) : []);
  return [
    ...namesIn(`${at.home}/landing`),
    ...namesIn(at.repository.file('.git/cadre-landing')),
    ...namesIn(at.repository.file('.git')).filter((name) => name === 'index.lock'),
  ];
}

async function isWhole(at: Field): Promise<void> {
  expect(await at.repository.git('status', '--porcelain')).toBe('');
  const landed = (await at.repository.git('log', '--format=%s')).trim().split('\n').length - 1;
  expect(existsSync(at.repository.file('one.txt'))).toBe(landed === 2);
  expect(existsSync(at.repository.file('two.txt'))).toBe(landed === 2);
  expect(await at.repository.read('a.txt')).toBe(landed === 2 ? 'changed\n' : 'one\ntwo\nthree\n');
  expect([0, 2]).toContain(landed);
  expect(leftovers(at)).toEqual([]);
}

const steps =
  'stacked checking preparing locked staged journaled aside placed indexed forwarded marked removed';

for (const step of steps.split(' '))
  test(`R14 killed at "${step}" of landing: nothing is half merged, no work is lost, and the next landing finishes`, async () => {
    const at = await field();
    await at.work('one', { 'one.txt': '1\n', 'a.txt': 'changed\n' });
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

for (const step of ['forwarded', 'marked'])
  test(`killed at "${step}": work with several commits for one line is not taken for a conflict with itself`, async () => {
    const at = await field();
    for (const name of ['one', 'two']) {
      const { path } = await at.work(name, { [`${name}.txt`]: 'first\n' }, { commit: 'First' });
      writeFileSync(`${path}/${name}.txt`, 'second\n');
      await at.repository.git('-C', path, 'commit', '--quiet', '--all', '--message=Second');
      writeFileSync(`${path}/${name}.txt`, 'third\n');
    }
    expect((await landInProcess(at.repository.path, at.home, step)).killed).toBe(true);
    await recoverLandings(at.world);
    await sweepWorktrees(at.world);
    const left = states(await landAll(at));
    expect(Object.values(left)).not.toContain('conflict');
    expect(await at.repository.read('two.txt')).toBe('third\n');
    expect(await at.listed()).toEqual([]);
  });

test('what was noted for a landing that did not come about does not hide the work', async () => {
  const at = await field();
  await at.work('one', { 'one.txt': '1\n' });
  expect((await landInProcess(at.repository.path, at.home, 'preparing')).killed).toBe(true);
  await recoverLandings(at.world);
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await at.repository.read('one.txt')).toBe('1\n');
});

/** Killed with the first of two files in place: `a.txt` is new, `b.txt` is not. */
async function cutOff(step = 'placed'): Promise<Field> {
  const at = await field({ 'a.txt': 'old a\n', 'b.txt': 'old b\n' });
  await at.work('one', { 'a.txt': 'new a\n', 'b.txt': 'new b\n' });
  expect((await landInProcess(at.repository.path, at.home, step)).killed).toBe(true);
  return at;
}

const subject = (at: Field) => at.repository.git('log', '-1', '--format=%s');

test('landing again after a recovered landing says that the work is there, not that nothing landed', async () => {
  const at = await cutOff();
  expect((await recoverLandings(at.world))[0]).toContain('has been finished');
  const again = expectOk(await land(at.landing, { agree: yes }));
  expect(renderReport(again)).toBe(
    'empty     one: all of its work is on main already\nThere was nothing left to land: main has all of it.',
  );
  expect(await at.listed()).toEqual([]);
});

test('a checkout that was half written is finished, with work of the user beside it untouched', async () => {
  const at = await cutOff();
  expect(await at.repository.read('b.txt')).toBe('old b\n');
  await at.repository.write('mine.txt', 'mine');
  expect((await recoverLandings(at.world))[0]).toContain('has been finished');
  expect(await at.repository.read('b.txt')).toBe('new b\n');
  expect(await at.repository.git('status', '--porcelain')).toBe('?? mine.txt\n');
  expect(await subject(at)).toBe('Work in one\n');
  expect(leftovers(at)).toEqual([]);
});

test('who only looks at worktrees is told of a landing that was cut off', async () => {
  const at = await cutOff();
  const environment = { PATH: process.env.PATH ?? '', HOME: dirname(at.home), CADRE_HOME: at.home };
  const opened = expectOk(await openLanding({ cwd: at.repository.path, environment }, 'look'));
  expect(opened.notices).toEqual([
    `A landing on main in ${at.repository.path} was interrupted. cadre worktree land or cadre doctor --fix finishes it, or takes it back.`,
  ]);
  await opened.close();
  expect(await at.repository.read('b.txt')).toBe('old b\n');
});

test('one that was cut off between two files is finished', async () => {
  const at = await cutOff('aside');
  expect(existsSync(at.repository.file('a.txt'))).toBe(false);
  await recoverLandings(at.world);
  expect(await at.repository.read('a.txt')).toBe('new a\n');
  expect(await at.repository.git('status', '--porcelain')).toBe('');
});

test('one that is cut off again and again while it is being finished is finished in the end', async () => {
  const at = await cutOff('aside');
  for (const step of ['placed', 'aside', 'placed', 'indexed'])
    expect((await landInProcess(at.repository.path, at.home, step)).killed).toBe(true);
  await recoverLandings(at.world);
  expect(await at.repository.read('b.txt')).toBe('new b\n');
  expect(await at.repository.git('status', '--porcelain')).toBe('');
  expect(await subject(at)).toBe('Work in one\n');
  expect(leftovers(at)).toEqual([]);
});

test('a new file that the user has written to since stays as they wrote it, and is named', async () => {
  const at = await cutOff();
  await at.repository.write('a.txt', 'new a, edited\n');
  const [notice] = await recoverLandings(at.world);
  expect(notice).toContain('has been finished. a.txt was changed since');
  expect(await at.repository.read('a.txt')).toBe('new a, edited\n');
  expect(await at.repository.git('status', '--porcelain')).toBe(' M a.txt\n');
});

test('an old file that the user has written to since stays, and all others are as before', async () => {
  const at = await cutOff();
  await at.repository.write('b.txt', 'old b, edited\n');
  const [notice] = await recoverLandings(at.world);
  expect(notice).toContain('was interrupted and has been undone. Land again. b.txt was changed since');
  expect(await at.repository.read('a.txt')).toBe('old a\n');
  expect(await at.repository.git('status', '--porcelain')).toBe(' M b.txt\n');
  expect(await subject(at)).toBe('Start\n');
  expect(leftovers(at)).toEqual([]);
});

test('what the user has staged since is not lost: the landing is undone around it', async () => {
  const at = await cutOff();
  rmSync(at.repository.file('.git/index.lock'));
  await at.repository.write('mine.txt', 'mine');
  await at.repository.git('add', 'mine.txt');
  expect((await recoverLandings(at.world))[0]).toContain('has been undone');
  expect(await at.repository.git('status', '--porcelain')).toBe('A  mine.txt\n');
});

test('a checkout that the user has put right since is left alone, and can be landed on', async () => {
  const at = await cutOff();
  rmSync(at.repository.file('.git/index.lock'));
  await at.repository.git('reset', '--quiet', '--hard');
  await recoverLandings(at.world);
  expect(await at.repository.git('status', '--porcelain')).toBe('');
  await land(at.landing, { agree: yes });
  expect(await at.repository.read('b.txt')).toBe('new b\n');
  expect(leftovers(at)).toEqual([]);
});

test('a branch that was moved since is left alone, and what was moved aside is kept and named', async () => {
  const at = await cutOff();
  rmSync(at.repository.file('.git/index.lock'));
  await at.repository.git('commit', '--quiet', '--all', '--message=Mine');
  const [notice = ''] = await recoverLandings(at.world);
  expect(notice).toContain('nothing was touched');
  const kept = /are in (.+)\.$/.exec(notice)?.[1] ?? '';
  expect(await Bun.file(`${kept}/old/0`).text()).toBe('old a\n');
  expect(await recoverLandings(at.world)).toEqual([]);
  expect((await land(at.landing, { agree: yes })).ok).toBe(true);
});

test('while another git holds the index nothing is done, and the journal stays', async () => {
  const at = await cutOff();
  writeFileSync(at.repository.file('.git/index.lock'), '');
  const [notice] = await recoverLandings(at.landing.world);
  expect(notice).toContain('index.lock: another git process is running');
  expect((await land(at.landing, { agree: yes })).ok).toBe(false);
  rmSync(at.repository.file('.git/index.lock'));
  expect((await recoverLandings(at.landing.world))[0]).toContain('has been finished');
}, 30_000);

test('a journal that was being written when its process was killed is removed, and one that is being written is not', async () => {
  const at = await cutOff();
  await recoverLandings(at.world);
  const name = (pid: number, start: string) => `${at.home}/landing/.1234.json.${pid}.${start}.tmp`;
  const own = processMark(process.pid);
  writeFileSync(name(own.pid, encodeURIComponent(own.start)), '{');
  writeFileSync(name(999_999_999, '1'), '{');
  await recoverLandings(at.world);
  expect(leftovers(at)).toEqual([`.1234.json.${own.pid}.${encodeURIComponent(own.start)}.tmp`]);
});
