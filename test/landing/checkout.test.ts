import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { forecast } from '../../src/landing/forecast.ts';
import { land } from '../../src/landing/land.ts';
import type { LandReport } from '../../src/landing/types.ts';
import { forgeIndex } from '../support/forge-index.ts';
import { blockedBy, type Field, field, states, yes } from './support.ts';

async function landAll(at: Field, onto?: string): Promise<LandReport> {
  const landed = await land(at.landing, { agree: yes, ...(onto ? { onto } : {}) });
  if (!landed.ok) throw new Error(landed.problem.message);
  return landed.value;
}

/** Work that a shell does in a worktree, committed. */
async function shell(at: Field, command: string): Promise<void> {
  const { path } = await at.work('one', { '.keep': '' });
  execFileSync('/bin/sh', ['-c', `rm .keep; ${command}`], { cwd: path });
  await at.repository.git('-C', path, 'add', '--all', '--force');
  await at.repository.git('-C', path, 'commit', '--quiet', '--message=Work');
}

async function foreseen(at: Field): Promise<string[]> {
  const seen = await forecast(at.landing);
  if (!seen.ok) throw new Error(seen.problem.message);
  return seen.value.worktrees.flatMap(({ overlaps }) => overlaps.flatMap(({ files }) => files));
}

function put(at: Field, name: string, text: string): void {
  mkdirSync(dirname(at.repository.file(name)), { recursive: true });
  writeFileSync(at.repository.file(name), text);
}

function isClean(at: Field): void {
  const left = existsSync(at.repository.file('.git/cadre-landing'))
    ? readdirSync(at.repository.file('.git/cadre-landing'))
    : [];
  const journals = existsSync(`${at.home}/landing`) ? readdirSync(`${at.home}/landing`) : [];
  expect([...left, ...journals]).toEqual([]);
  expect(existsSync(at.repository.file('.git/index.lock'))).toBe(false);
}

const inTheWay: [string, string, string, string, string][] = [
  ['an ignored file that work adds by force', '.env\n', '.env', 'echo agent > .env', '.env'],
  [
    'an ignored file that work ignores no longer',
    '.env\n',
    '.env',
    'rm .gitignore; echo agent > .env',
    '.env',
  ],
  [
    'an ignored directory where work puts a file',
    'node_modules/\n',
    'node_modules/p/x.js',
    'rm -rf node_modules; echo f > node_modules',
    'node_modules/',
  ],
  ['an ignored file where work makes a directory', 'out\n', 'out', 'mkdir out; echo x > out/x', 'out'],
  [
    'an ignored file in a directory that work makes a file',
    'lib/*.log\n',
    'lib/a.log',
    'rm -r lib; echo x > lib',
    'lib/',
  ],
];

for (const [what, ignore, mine, work, named] of inTheWay)
  test(`${what} is never touched: nothing lands, and the forecast names it too`, async () => {
    const at = await field({ '.gitignore': ignore, 'lib/a.txt': 'a\n' });
    put(at, mine, 'SECRET=mine\n');
    await shell(at, work);
    expect(await foreseen(at)).toContain(named);
    const report = await landAll(at);
    expect(blockedBy(report).files).toEqual([named]);
    expect(blockedBy(report).reason).toContain('ignored or untracked');
    expect(await at.repository.read(mine)).toBe('SECRET=mine\n');
    expect(await at.repository.git('status', '--porcelain')).toBe('');
    isClean(at);
  });

for (const flag of ['--assume-unchanged', '--skip-worktree'])
  test(`a change that git was told not to see (${flag}) is not overwritten`, async () => {
    const at = await field({ 'a.txt': 'old\n' });
    await at.repository.git('update-index', flag, 'a.txt');
    put(at, 'a.txt', 'mine\n');
    await at.work('one', { 'a.txt': 'agent\n' });
    expect(blockedBy(await landAll(at)).files).toEqual(['a.txt']);
    expect(await at.repository.read('a.txt')).toBe('mine\n');
  });

test('uncommitted work that a forged index calls unchanged is not overwritten, and the forecast names it', async () => {
  const at = await field({ 'a.txt': 'old!\n' });
  put(at, 'a.txt', 'mine\n');
  utimesSync(at.repository.file('a.txt'), 1_000_000, 1_000_000);
  await at.work('one', { 'a.txt': 'agent\n' });
  forgeIndex(at.repository.path, 'a.txt', (await at.repository.git('rev-parse', 'HEAD:a.txt')).trim());
  expect(await at.repository.git('status', '--porcelain')).toBe('');
  expect(await foreseen(at)).toEqual(['a.txt']);
  expect(blockedBy(await landAll(at)).files).toEqual(['a.txt']);
  expect(await at.repository.read('a.txt')).toBe('mine\n');
});

test('files become directories and directories files, links change, modes change, all of it in one step', async () => {
  const at = await field({ file: 'f\n', 'dir/x/y.txt': 'y\n', 'run.sh': 'true\n', gone: 'g\n', same: 's\n' });
  await shell(
    at,
    'rm file gone; mkdir file; echo in > file/in; rm -r dir; echo d > dir; chmod +x run.sh; ln -s same link; mkdir -p deep/er; echo n > deep/er/n',
  );
  put(at, 'same', 'mine\n');
  put(at, 'staged', 'staged\n');
  await at.repository.git('add', 'staged');
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await at.repository.git('status', '--porcelain')).toBe(' M same\nA  staged\n');
  expect(await at.repository.read('file/in')).toBe('in\n');
  expect(await at.repository.read('dir')).toBe('d\n');
  expect(lstatSync(at.repository.file('link')).isSymbolicLink()).toBe(true);
  expect(lstatSync(at.repository.file('run.sh')).mode & 0o111).not.toBe(0);
  isClean(at);
});

test('names that are no text, and names that look like patterns, are taken as they are', async () => {
  const at = await field({ 'a[bc].txt': 'old\n', 'ab.txt': 'other\n' });
  await shell(at, `printf x > "$(printf 'n\\377\\nm')"; echo new > 'a[bc].txt'; echo new > ':(top)x'`);
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await at.repository.git('status', '--porcelain')).toBe('');
  expect(await at.repository.read('ab.txt')).toBe('other\n');
  expect(await at.repository.read(':(top)x')).toBe('new\n');
});

const settings: [string, string][] = [
  ['branch.main.mergeOptions', '--squash'],
  ['branch.main.mergeOptions', '--no-ff --no-commit'],
  ['merge.autoStash', 'true'],
  ['merge.ff', 'false'],
  ['core.sparseCheckout', 'true'],
  ['core.splitIndex', 'true'],
  ['rerere.enabled', 'true'],
  ['diff.noprefix', 'true'],
  ['status.showUntrackedFiles', 'no'],
  ['core.hooksPath', 'hooks'],
];

for (const [key, value] of settings)
  test(`${key}=${value} changes nothing about a landing, and staged work stays staged`, async () => {
    const at = await field({
      'a.txt': 'old\n',
      'b.txt': 'b\n',
      'hooks/post-merge': '#!/bin/sh\ntouch ran\n',
    });
    chmodSync(at.repository.file('hooks/post-merge'), 0o755);
    await at.repository.git('commit', '--quiet', '--all', '--message=Mode');
    await at.repository.git('config', key, value);
    put(at, 'b.txt', 'staged\n');
    await at.repository.git('add', 'b.txt');
    await at.work('one', { 'a.txt': 'new\n' }, { commit: 'Work' });
    expect(states(await landAll(at))).toEqual({ one: 'landed' });
    expect(await at.repository.git('log', '-1', '--format=%s')).toBe('Work\n');
    expect(await at.repository.git('status', '--porcelain')).toBe('M  b.txt\n');
    expect(await at.repository.read('a.txt')).toBe('new\n');
    expect(await at.repository.git('reflog', '-1', '--format=%gs')).toBe('cadre: land\n');
  });

test("the user's line endings are those of the checkout", async () => {
  const at = await field({ 'a.txt': 'old\n' });
  await at.work('one', { '.gitattributes': 'b.txt text eol=crlf\n', 'b.txt': 'b\n' }, { commit: 'Work' });
  await landAll(at);
  expect(await at.repository.read('b.txt')).toBe('b\r\n');
  expect(await at.repository.git('status', '--porcelain')).toBe('');
});

test('a merge that the user is in the middle of is not landed into', async () => {
  const at = await field({ 'a.txt': 'old\n' });
  await at.repository.git('branch', 'side');
  await at.repository.git('commit', '--quiet', '--allow-empty', '--message=Main');
  await at.work('one', { 'b.txt': 'b\n' });
  await at.repository.git('checkout', '--quiet', 'side');
  await at.repository.git('commit', '--quiet', '--allow-empty', '--message=Side');
  await at.repository.git('checkout', '--quiet', 'main');
  await at.repository.git('merge', '--quiet', '--no-commit', '--no-ff', 'side');
  const landed = await land(at.landing, { agree: yes });
  expect(landed).toMatchObject({ ok: false });
  expect(JSON.stringify(landed)).toContain('a merge is unfinished');
  isClean(at);
});

test('a branch whose checkout was deleted is not moved, and the way out is named', async () => {
  const at = await field({ 'a.txt': 'old\n' });
  const other = `${at.home}/other`;
  await at.repository.git('worktree', 'add', '--quiet', '-b', 'release', other);
  rmSync(other, { recursive: true });
  await at.work('one', { 'b.txt': 'b\n' });
  const refused = JSON.stringify(await land(at.landing, { agree: yes, onto: 'release' }));
  expect(refused).toContain(`release is checked out in ${other}, which does not exist`);
  expect(refused).toContain('git worktree prune');
  await at.repository.git('worktree', 'prune');
  expect(states(await landAll(at, 'release'))).toEqual({ one: 'landed' });
});

test('in a linked checkout the files of that checkout follow, and no others', async () => {
  const at = await field({ 'a.txt': 'old\n' });
  const other = `${at.home}/other`;
  await at.repository.git('worktree', 'add', '--quiet', '-b', 'release', other);
  await at.work('one', { 'a.txt': 'new\n' });
  expect(states(await landAll(at, 'release'))).toEqual({ one: 'landed' });
  expect(readFileSync(join(other, 'a.txt'), 'utf8')).toBe('new\n');
  expect(await at.repository.git('-C', other, 'status', '--porcelain')).toBe('');
  expect(await at.repository.read('a.txt')).toBe('old\n');
});

test('what a sparse checkout leaves out lands, and stays left out', async () => {
  const at = await field({ 'in/a.txt': 'old\n', 'out/b.txt': 'old\n' });
  await at.work('one', { 'in/a.txt': 'new\n', 'out/b.txt': 'new\n' }, { commit: 'Work' });
  await at.repository.git('sparse-checkout', 'set', 'in');
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await at.repository.read('in/a.txt')).toBe('new\n');
  expect(existsSync(at.repository.file('out'))).toBe(false);
  expect(await at.repository.git('show', 'HEAD:out/b.txt')).toBe('new\n');
  expect(await at.repository.git('status', '--porcelain')).toBe('');
});
