import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMainRoot } from '../../src/workspace/git/main-root.ts';
import { temporaryDirectory } from '../support/index.ts';

function git(cwd: string, ...args: string[]) {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

test('a work tree belongs to its main checkout; that and a plain directory to themselves', () => {
  const { path } = temporaryDirectory();
  const main = join(path, 'main');
  mkdirSync(main);
  git(main, 'init', '-q');
  git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(main, 'worktree', 'add', '-q', join(path, 'tree'));
  expect(findMainRoot(join(path, 'tree'))).toBe(main);
  expect(findMainRoot(main)).toBe(main);
  expect(findMainRoot(path)).toBe(path);
});

test('a .git file that the other side does not confirm is not believed', () => {
  const { path } = temporaryDirectory();
  const [main, fake] = [join(path, 'main'), join(path, 'fake')];
  mkdirSync(main);
  mkdirSync(fake);
  git(main, 'init', '-q');
  git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(main, 'worktree', 'add', '-q', join(path, 'tree'));
  writeFileSync(join(fake, '.git'), `gitdir: ${join(main, '.git', 'worktrees', 'tree')}\n`);
  expect(findMainRoot(fake)).toBe(fake);
  writeFileSync(join(fake, '.git'), 'gitdir: /nowhere\n');
  expect(findMainRoot(fake)).toBe(fake);
});
