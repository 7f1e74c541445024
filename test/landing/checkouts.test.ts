import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { land } from '../../src/landing/land.ts';
import { temporaryWorkspace } from '../../src/testing/temporary-workspace.ts';
import { findRepository } from '../../src/workspace/worktrees/repository.ts';
import { temporaryDirectory } from '../support/index.ts';
import { expectOk, type Field, field, fieldAt, landAll, quietly, states, yes } from './support.ts';

async function isRefused(at: Field, onto: string, reason: RegExp): Promise<void> {
  const before = await at.repository.git('rev-parse', onto);
  const done = await land(at.landing, { agree: yes, onto });
  expect(done.ok ? 'it landed' : `${done.problem.message} ${done.problem.hint}`).toMatch(reason);
  expect(await at.repository.git('rev-parse', onto)).toBe(before);
  expect(await at.listed()).toHaveLength(1);
}

async function diverged(at: Field): Promise<void> {
  await at.repository.git('checkout', '--quiet', '-b', 'side');
  await at.repository.write('a.txt', 'side\n');
  await at.repository.git('commit', '--quiet', '--all', '--message=Side');
  await at.repository.git('checkout', '--quiet', 'main');
  await at.repository.write('a.txt', 'main\n');
  await at.repository.git('commit', '--quiet', '--all', '--message=Main');
}

test.each([
  [['rebase', 'side'], /main is being rebased in .*git rebase --continue/],
  [['rebase', '--apply', 'side'], /main is being rebased in/],
])('a branch that is in the middle of git %j is not moved under it', async (args, reason) => {
  const at = await field();
  await at.work('one', { 'new.txt': 'x\n' });
  await diverged(at);
  await quietly(at.repository.git(...args));
  await isRefused(at, 'main', reason);
});

test('nor is one that a bisect or a stack of rebased branches began from', async () => {
  const at = await field();
  await at.work('one', { 'new.txt': 'x\n' });
  await diverged(at);
  await at.repository.git('bisect', 'start');
  await at.repository.git('checkout', '--quiet', '--detach');
  await isRefused(at, 'main', /main is being bisected in .*git bisect reset/);
  await at.repository.git('bisect', 'reset');
  await at.repository.git('checkout', '--quiet', '-b', 'upper');
  await quietly(at.repository.git('rebase', '--update-refs', 'side'));
  await isRefused(at, 'main', /main is being rebased in/);
});

test('nor is one in whose checkout a merge is half done', async () => {
  const at = await field();
  await at.work('one', { 'new.txt': 'x\n' });
  await diverged(at);
  await quietly(at.repository.git('merge', 'side'));
  await isRefused(at, 'main', /a merge is unfinished in .*git merge --abort/);
});

test('a branch whose checkout is gone is refused with what to do', async () => {
  const at = await field();
  await at.work('one', { 'new.txt': 'x\n' });
  const other = join(temporaryDirectory().path, 'other');
  await at.repository.git('worktree', 'add', '--quiet', '-b', 'other', other);
  rmSync(other, { recursive: true });
  const done = await land(at.landing, { agree: yes, onto: 'other' });
  expect(done.ok ? '' : `${done.problem.message} ${done.problem.hint}`).toMatch(
    /other is checked out in .*other, which does not exist.*git worktree prune/,
  );
});

test('work lands in a repository whose git directory is elsewhere', async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': 'a\n' });
  const apart = join(temporaryDirectory().path, 'apart');
  await workspace.git('init', '--quiet', '--initial-branch=main', `--separate-git-dir=${apart}`);
  await workspace.git('add', '--all');
  await workspace.git('commit', '--quiet', '--message=Start');
  const at = await fieldAt(workspace);
  await at.work('one', { 'new.txt': 'x\n' });
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await at.repository.read('new.txt')).toBe('x\n');
  expect(await at.repository.git('status', '--porcelain')).toBe('');
});

test('work lands in a submodule', async () => {
  const outer = await field();
  const library = await temporaryWorkspace({ 'l.txt': 'l\n' }, { git: true });
  const allow = ['-c', 'protocol.file.allow=always'];
  await outer.repository.git(...allow, 'submodule', '--quiet', 'add', library.path, 'lib');
  await outer.repository.git('commit', '--quiet', '--message=Submodule');
  const cwd = outer.repository.file('lib');
  const at = await fieldAt(outer.repository, cwd);
  await at.work('one', { 'new.txt': 'x\n' });
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await outer.repository.read('lib/new.txt')).toBe('x\n');
});

test('from a linked checkout work lands on the branch of the one whose git directory is elsewhere', async () => {
  const outer = await field();
  const library = await temporaryWorkspace({ 'l.txt': 'l\n' }, { git: true });
  const allow = ['-c', 'protocol.file.allow=always'];
  await outer.repository.git(...allow, 'submodule', '--quiet', 'add', library.path, 'lib');
  const linked = join(temporaryDirectory().path, 'linked');
  await outer.repository.git('-C', 'lib', 'worktree', 'add', '--quiet', '-b', 'feature', linked);
  const at = await fieldAt(outer.repository, linked);
  await at.work('one', { 'new.txt': 'x\n' });
  expectOk(await land(at.landing, { agree: yes, onto: 'main' }));
  expect(await outer.repository.read('lib/new.txt')).toBe('x\n');
});

test('a newline in the path of a repository is a part of it', async () => {
  const directory = join(temporaryDirectory().path, 're po\nx');
  const plain = await temporaryWorkspace({ 'a.txt': 'a\n' }, { git: true });
  await plain.git('clone', '--quiet', plain.path, directory);
  const at = await fieldAt(plain, directory);
  expect(expectOk(await findRepository(directory, at.landing.world)).top).toBe(directory);
  await at.work('one', { 'new.txt': 'x\n' });
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await Bun.file(join(directory, 'new.txt')).text()).toBe('x\n');
});

test('a branch that two checkouts have is not moved on: only one could follow', async () => {
  const at = await field();
  await at.work('one', { 'new.txt': 'x\n' });
  const { path } = temporaryDirectory();
  await at.repository.git('worktree', 'add', '--quiet', '--force', join(path, 'other'), 'main');
  const refused = async (reason: RegExp) => {
    const done = await land(at.landing, { agree: yes, onto: 'main' });
    expect(done.ok ? 'it landed' : done.problem.message).toMatch(reason);
    expect(await at.repository.git('log', '--format=%s', 'main')).toBe('Start\n');
  };
  await refused(/main is checked out twice, in .*\/other, and only one of them could be updated/);
  await at.repository.git('checkout', '--quiet', '-b', 'aside');
  await at.repository.git('worktree', 'add', '--quiet', '--force', join(path, 'third'), 'main');
  await refused(/main is checked out twice, in .*\/other and in .*\/third/);
});

test("an agent that took the user's branch for its worktree does not take the landing of others along", async () => {
  const at = await field();
  const { path } = await at.work('thief', { 'a.txt': 'thief\n' });
  await at.work('one', { 'new.txt': 'x\n' });
  await at.repository.git('-C', path, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  expect(states(await landAll(at))).toEqual({ thief: 'failed', one: 'landed' });
  expect(await at.repository.read('new.txt')).toBe('x\n');
  expect(await at.repository.git('status', '--porcelain')).toBe('');
});
