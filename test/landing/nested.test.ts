import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryWorkspace } from '../../src/testing/temporary-workspace.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { expectOk, type Field, field, landAll, reasonOf, states } from './support.ts';

async function repositoryAt(at: Field, path: string, commit = true): Promise<void> {
  mkdirSync(path, { recursive: true });
  await at.repository.git('-C', path, 'init', '--quiet');
  if (!commit) return;
  writeFileSync(join(path, 'precious.txt'), 'precious\n');
  await at.repository.git('-C', path, 'add', '--all');
  await at.repository.git('-C', path, 'commit', '--quiet', '--message=Precious');
}

test.each([
  ['a repository', 'sub', true],
  ['one without a commit', 'sub', false],
  ['one around tracked files', 'src', true],
  ['one in place of a file', 'a.txt', true],
])('%s inside of a worktree does not land, and is named and kept', async (_, name, commit) => {
  const at = await field({ 'a.txt': 'one\n', 'src/b.txt': 'b\n' });
  const one = await at.work('one', { 'new.txt': 'x\n' });
  const path = join(one.path, name);
  if (name === 'a.txt') await at.repository.git('-C', one.path, 'rm', '--quiet', '--cached', 'a.txt');
  if (name === 'a.txt') await Bun.$`rm ${path}`.quiet();
  await repositoryAt(at, path, commit);
  const report = await landAll(at);
  expect(reasonOf(report, 'one')).toContain(`${name} is a separate repository`);
  expect(report.to).toBe(report.from);
  expect(existsSync(join(path, '.git'))).toBe(true);
});

test('one that was committed as a link to nowhere does not land either', async () => {
  const at = await field();
  const one = await at.work('one', { 'new.txt': 'x\n' });
  await repositoryAt(at, join(one.path, 'sub'));
  await at.repository.git('-C', one.path, 'add', '--all');
  await at.repository.git('-C', one.path, 'commit', '--quiet', '--message=Embedded');
  expect(reasonOf(await landAll(at), 'one')).toContain('sub is a separate repository');
  expect(existsSync(join(one.path, 'sub/precious.txt'))).toBe(true);
});

test('an ignored one is as other ignored files are', async () => {
  const at = await field({ '.gitignore': 'build/\n' });
  const one = await at.work('one', { 'new.txt': 'x\n' });
  await repositoryAt(at, join(one.path, 'build/cache'));
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await at.listed()).toEqual([]);
});

/** A repository with the submodule `lib`, and a worktree in which that is there. */
async function withSubmodule(work: (lib: string, git: (...args: string[]) => Promise<string>) => unknown) {
  const at = await field();
  const library = await temporaryWorkspace({ 'l.txt': 'l\n' }, { git: true });
  await library.git('config', 'receive.denyCurrentBranch', 'ignore');
  const allow = ['-c', 'protocol.file.allow=always'];
  await at.repository.git(...allow, 'submodule', '--quiet', 'add', library.path, 'lib');
  await at.repository.git('commit', '--quiet', '--message=Submodule');
  const { record } = expectOk(await createWorktree(at.order('one'), at.landing.world));
  await at.repository.git('-C', record.path, ...allow, 'submodule', '--quiet', 'update', '--init');
  const lib = join(record.path, 'lib');
  await work(lib, (...args) => at.repository.git('-C', lib, ...allow, ...args));
  const left = expectOk(await leaveWorktree(record, at.landing.world));
  return { at, record, lib, left };
}

test('a submodule that holds nothing of its own keeps no worktree', async () => {
  const { at, left } = await withSubmodule(() => undefined);
  expect(left.kept).toBe(false);
  expect(await at.listed()).toEqual([]);
});

test.each([
  [
    'changed files',
    async (lib: string) => writeFileSync(join(lib, 'l.txt'), 'changed\n'),
    /lib.*not committed/,
  ],
  ['new files', async (lib: string) => writeFileSync(join(lib, 'new.txt'), 'new\n'), /lib.*not committed/],
  [
    'a commit',
    async (lib: string, git: (...args: string[]) => Promise<string>) => {
      writeFileSync(join(lib, 'l.txt'), 'changed\n');
      await git('commit', '--quiet', '--all', '--message=Inner');
    },
    /lib.*1 commit that no remote/,
  ],
  [
    'a commit on a branch that is not checked out',
    async (lib: string, git: (...args: string[]) => Promise<string>) => {
      await git('checkout', '--quiet', '-b', 'mine');
      writeFileSync(join(lib, 'l.txt'), 'changed\n');
      await git('commit', '--quiet', '--all', '--message=Inner');
      await git('checkout', '--quiet', '--detach', 'HEAD~1');
    },
    /lib.*1 commit that no remote/,
  ],
  [
    'a repository',
    async (lib: string, git: (...args: string[]) => Promise<string>) => {
      mkdirSync(join(lib, 'deep'));
      await git('-C', 'deep', 'init', '--quiet');
    },
    /lib\/deep is a separate repository/,
  ],
])('a submodule with %s is kept when left and when landed, and named', async (_, work, reason) => {
  const { at, record, lib, left } = await withSubmodule(work);
  expect(left.kept).toBe(true);
  writeFileSync(join(record.path, 'beside.txt'), 'x\n');
  const report = await landAll(at);
  expect(reasonOf(report, 'one')).toMatch(reason);
  expect(report.to).toBe(report.from);
  expect(existsSync(lib)).toBe(true);
});

test('a commit of a submodule that was pushed lands with what else there is', async () => {
  const { at, lib } = await withSubmodule(async (lib, git) => {
    writeFileSync(join(lib, 'l.txt'), 'changed\n');
    await git('commit', '--quiet', '--all', '--message=Inner');
    await git('push', '--quiet', 'origin', 'HEAD:main');
  });
  const commit = (await at.repository.git('-C', lib, 'rev-parse', 'HEAD')).trim();
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await at.repository.git('ls-tree', 'main', 'lib')).toContain(commit);
  expect(await at.listed()).toEqual([]);
  expect(readFileSync(at.repository.file('lib/l.txt'), 'utf8')).toBe('l\n');
});
