import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { type Ground, ground } from './worktree-support.ts';

async function sparse(): Promise<{ at: Ground; path: string; leave: () => Promise<string[] | undefined> }> {
  const at = await ground({ 'in/i.txt': 'i\n', 'out/o.txt': 'o\n' });
  await at.repository.git('sparse-checkout', 'set', 'in');
  const made = await createWorktree(at.order('one'), at.world);
  if (!made.ok) throw new Error(made.problem.message);
  const { record } = made.value;
  expect(existsSync(join(record.path, 'out'))).toBe(false);
  const leave = async () => {
    const left = await leaveWorktree(record, at.world);
    if (!left.ok) throw new Error(left.problem.message);
    return left.value.kept ? left.value.diffstat.files.map((file) => file.path) : undefined;
  };
  return { at, path: record.path, leave };
}

test('in a sparse checkout one in which nothing was done goes', async () => {
  const { at, leave } = await sparse();
  expect(await leave()).toBeUndefined();
  expect(await at.listed()).toEqual([]);
  expect(await at.branches()).toEqual([]);
});

test('what was done in it, inside of the part that is checked out and outside, is kept; what is left out is no change', async () => {
  const { path, leave } = await sparse();
  writeFileSync(join(path, 'in/new.txt'), 'new\n');
  mkdirSync(join(path, 'out'));
  writeFileSync(join(path, 'out/o.txt'), 'changed\n');
  writeFileSync(join(path, 'out/new.txt'), 'new\n');
  expect(await leave()).toEqual(['in/new.txt', 'out/new.txt', 'out/o.txt']);
});

test('where nothing is sparse, a file that git was told to skip and that is gone counts', async () => {
  const at = await ground();
  const made = await createWorktree(at.order('one'), at.world);
  if (!made.ok) throw new Error(made.problem.message);
  const { path } = made.value.record;
  await at.repository.git('-C', path, 'update-index', '--skip-worktree', 'a.txt');
  rmSync(join(path, 'a.txt'));
  const left = await leaveWorktree(made.value.record, at.world);
  expect(left.ok && left.value.kept && left.value.diffstat.files.map((file) => file.path)).toEqual(['a.txt']);
});
