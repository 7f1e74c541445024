import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forecast } from '../../src/landing/forecast.ts';
import { land } from '../../src/landing/land.ts';
import type { WorktreeRecord } from '../../src/workspace/worktrees/record.ts';
import { sweepWorktrees } from '../../src/workspace/worktrees/sweep.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { temporaryDirectory } from '../support/index.ts';
import { expectOk, type Field, field, landAll, quietly, reasonOf, yes } from './support.ts';

/** Nothing of it landed, and nothing of it is gone. */
async function isRefused(at: Field, record: WorktreeRecord, reason: RegExp): Promise<void> {
  const before = await stateOf(at, record);
  const report = await landAll(at);
  expect(report.to).toBe(report.from);
  expect(reasonOf(report, record.slug)).toMatch(reason);
  expect(await stateOf(at, record)).toEqual(before);
  await sweepWorktrees(at.world);
  expect(await stateOf(at, record)).toEqual(before);
}

async function stateOf(at: Field, { path, branch }: WorktreeRecord) {
  return {
    main: await at.repository.git('rev-parse', 'main'),
    tip: await at.repository.git('rev-parse', branch),
    files: await at.repository.git('--git-dir', at.repository.file('.git'), 'ls-files'),
    listed: await at.listed(),
    isThere: existsSync(path),
  };
}

/** Two that change the same line: the second meets a conflict when it takes in what the first landed. */
async function clashing(at: Field): Promise<WorktreeRecord> {
  await at.work('one', { 'a.txt': 'one\nONE\nthree\n' }, { commit: 'One' });
  const two = await at.work('two', { 'a.txt': 'one\nTWO\nthree\n' }, { commit: 'Two' });
  writeFileSync(join(two.path, 'extra.txt'), 'extra\n');
  await at.repository.git('-C', two.path, 'add', '--all');
  await at.repository.git('-C', two.path, 'commit', '--quiet', '--message=Extra');
  await landAll(at, ['one']);
  return two;
}

test.each([
  ['rebase', ['rebase', 'main'], /a rebase is unfinished.*a\.txt.*git rebase --continue.*git rebase --abort/],
  ['merge', ['merge', 'main'], /a merge is unfinished.*a\.txt.*git commit --no-edit.*git merge --abort/],
  ['cherry-pick', ['cherry-pick', 'main'], /a cherry-pick is unfinished.*a\.txt.*git cherry-pick --continue/],
  ['rebase of patches', ['rebase', '--apply', 'main'], /a rebase is unfinished/],
])('a %s that met a conflict is never landed, and nothing of it is lost', async (_, args, reason) => {
  const at = await field();
  const two = await clashing(at);
  await quietly(at.repository.git('-C', two.path, ...args));
  await isRefused(at, two, reason);
});

test('a revert that met a conflict is never landed', async () => {
  const at = await field();
  const one = await at.work('one', { 'a.txt': 'one\nTWO\nthree\n' }, { commit: 'First' });
  writeFileSync(join(one.path, 'a.txt'), 'one\nZWEI\nthree\n');
  await at.repository.git('-C', one.path, 'commit', '--quiet', '--all', '--message=Second');
  await quietly(at.repository.git('-C', one.path, 'revert', '--no-edit', 'HEAD~1'));
  await isRefused(at, one, /a revert is unfinished/);
});

test('patches that are half applied, and a search by halves, are never landed', async () => {
  const at = await field();
  const two = await clashing(at);
  const patch = await at.repository.git('format-patch', '--stdout', '-1', 'main');
  const file = join(at.home, 'a.patch');
  writeFileSync(file, patch);
  await quietly(at.repository.git('-C', two.path, 'am', '--quiet', file));
  await isRefused(at, two, /git am is unfinished/);
  await at.repository.git('-C', two.path, 'am', '--abort');
  await at.repository.git('-C', two.path, 'bisect', 'start');
  await isRefused(at, two, /a bisect is unfinished.*git bisect reset/);
});

test('entries that are not merged are named, also where nothing else says so', async () => {
  const at = await field();
  const one = await at.work('one', { 'a.txt': 'one\nTWO\nthree\n' });
  await at.repository.git('-C', one.path, 'stash', '--quiet');
  writeFileSync(join(one.path, 'a.txt'), 'one\nZWEI\nthree\n');
  await at.repository.git('-C', one.path, 'commit', '--quiet', '--all', '--message=Other');
  await quietly(at.repository.git('-C', one.path, 'stash', 'pop'));
  await isRefused(at, one, /conflicts are not resolved in a\.txt/);
});

test('whoever leaves a worktree half way is told what keeps it from landing', async () => {
  const at = await field();
  const two = await clashing(at);
  await quietly(at.repository.git('-C', two.path, 'rebase', 'main'));
  const left = expectOk(await leaveWorktree(two, at.landing.world));
  expect(left.kept && left.obstacle).toContain('a rebase is unfinished');
});

test('a merge that is resolved and not committed says that the commit is missing', async () => {
  const at = await field();
  const two = await clashing(at);
  await quietly(at.repository.git('-C', two.path, 'merge', 'main'));
  writeFileSync(join(two.path, 'a.txt'), 'one\nboth\nthree\n');
  await at.repository.git('-C', two.path, 'add', 'a.txt');
  await isRefused(at, two, /a merge is resolved and not committed.*git commit --no-edit/);
  await at.repository.git('-C', two.path, 'commit', '--quiet', '--no-edit');
  await landAll(at);
  expect(await at.repository.read('a.txt')).toBe('one\nboth\nthree\n');
});

test('commits that are on its branch and not checked out are not `empty`', async () => {
  const at = await field();
  const one = await at.work('one', { 'new.txt': 'x\n' }, { commit: 'Work' });
  await at.repository.git('-C', one.path, 'checkout', '--quiet', '--detach', 'HEAD~1');
  await isRefused(at, one, /cadre\/one\/work holds 1 commit that is not checked out/);
  await at.repository.git('-C', one.path, 'checkout', '--quiet', 'cadre/one/work');
  await landAll(at);
  expect(await at.repository.read('new.txt')).toBe('x\n');
});

test('a worktree that has the branch of another checkout is refused', async () => {
  const at = await field();
  const one = await at.work('one', { 'new.txt': 'x\n' });
  await at.repository.git('-C', one.path, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  await isRefused(at, one, /has main checked out, like .*git checkout -B cadre\/one\/work/);
});

test('work on another branch of its own making lands, and that branch stays', async () => {
  const at = await field();
  const one = await at.work('one', { 'new.txt': 'x\n' });
  await at.repository.git('-C', one.path, 'checkout', '--quiet', '-b', 'feature');
  await at.repository.git('-C', one.path, 'add', '--all');
  await at.repository.git('-C', one.path, 'commit', '--quiet', '--message=Feature');
  await landAll(at);
  expect(await at.repository.read('new.txt')).toBe('x\n');
  expect(await at.listed()).toEqual([]);
  expect(await at.repository.git('log', '-1', '--format=%s', 'feature')).toBe('Feature\n');
});

test.each([
  ['leads elsewhere', (path: string, git: string) => writeFileSync(join(path, '.git'), `gitdir: ${git}\n`)],
  ['is gone', (path: string) => rmSync(join(path, '.git'))],
  [
    'is a repository',
    (path: string) => {
      rmSync(join(path, '.git'));
      mkdirSync(join(path, '.git'));
    },
  ],
])('a worktree whose .git %s is kept with its branch', async (_, spoil) => {
  const at = await field();
  const one = await at.work('one', { 'new.txt': 'x\n' }, { commit: 'Work' });
  rmSync(join(one.path, 'new.txt'));
  spoil(one.path, at.repository.file('.git'));
  const report = await landAll(at);
  expect(reasonOf(report, 'one')).toMatch(/\.git.*git worktree repair/);
  expect(await at.repository.git('log', '-1', '--format=%s', 'cadre/one/work')).toBe('Work\n');
  expect(existsSync(one.path)).toBe(true);
});

test('what is staged and not in the files is named, and kept', async () => {
  const at = await field();
  const one = await at.work('one', { 'staged.txt': 'x\n', 'b.txt': 'b\n' });
  await at.repository.git('-C', one.path, 'add', 'staged.txt');
  rmSync(join(one.path, 'staged.txt'));
  await isRefused(at, one, /staged\.txt has staged content that differs from the working tree/);
});

test('staged content that git was told not to look at is seen', async () => {
  const at = await field();
  const one = await at.work('one', { 'b.txt': 'b\n' });
  await at.repository.git('-C', one.path, 'add', 'b.txt');
  await at.repository.git('-C', one.path, 'update-index', '--assume-unchanged', 'b.txt');
  writeFileSync(join(one.path, 'b.txt'), 'later\n');
  await isRefused(at, one, /b\.txt has staged content that differs/);
});

test('the worktree whose branch is landed on is no part of the landing', async () => {
  const at = await field();
  await at.work('one', { 'new.txt': 'x\n' }, { commit: 'Work' });
  const report = expectOk(await land(at.landing, { agree: yes, onto: 'cadre/one/work' }));
  expect(reasonOf(report, 'one')).toContain('it is on the target branch');
  expect(await at.branches()).toEqual(['cadre/one/work']);
  expect(await at.listed()).toHaveLength(1);
});

test('the forecast says what cannot land as it is, and goes on with the others', async () => {
  const at = await field();
  const two = await clashing(at);
  await at.work('three', { 'three.txt': '3\n' });
  await quietly(at.repository.git('-C', two.path, 'rebase', 'main'));
  const seen = expectOk(await forecast(at.landing)).worktrees;
  expect(seen.find(({ name }) => name === 'two')?.obstacle).toContain('a rebase is unfinished');
  expect(seen.find(({ name }) => name === 'three')?.obstacle).toBeUndefined();
});

test('files of another directory are not landed for those of a worktree, nor is it removed', async () => {
  const at = await field();
  const { path } = await at.work('one', { 'new.txt': 'work\n' });
  const elsewhere = temporaryDirectory().path;
  writeFileSync(join(elsewhere, 'secret'), '');
  await at.repository.git('config', 'extensions.worktreeConfig', 'true');
  await at.repository.git('-C', path, 'config', '--worktree', 'core.worktree', elsewhere);
  expect(reasonOf(await landAll(at), 'one')).toContain(`Git uses another directory than ${path}`);
  expect(existsSync(join(path, 'new.txt'))).toBe(true);
  expect(await at.repository.git('log', '--format=%s')).toBe('Start\n');
});

test('nothing lands where worktrees stand', async () => {
  const at = await field();
  const other = await at.work('other', { 'x.txt': 'x\n' });
  const { path } = await at.work('one', { 'new.txt': 'work\n' });
  mkdirSync(join(path, '.cadre/worktrees/other'), { recursive: true });
  writeFileSync(join(path, '.cadre/worktrees/other/evil.txt'), '');
  await at.repository.git('-C', path, 'add', '--force', '.cadre');
  expect(reasonOf(await landAll(at, ['one']), 'one')).toContain('would be written where worktrees are kept');
  expect(existsSync(join(other.path, 'evil.txt'))).toBe(false);
});
