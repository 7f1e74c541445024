import { expect, test } from 'bun:test';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diffWorktree } from '../../src/landing/drop.ts';
import { forecast } from '../../src/landing/forecast.ts';
import { listRecords } from '../../src/workspace/worktrees/record.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { blockedBy, expectOk, type Field, field, landAll, states } from './support.ts';

/** What each has in common with those before it, and whether it conflicts. */
async function overlaps(at: Field) {
  const { worktrees } = expectOk(await forecast(at.landing));
  return Object.fromEntries(
    worktrees.map(({ name, overlaps: found }) => [
      name,
      found.map(
        (one) => `${one.conflicts.length > 0 ? 'conflict' : 'same'} ${one.with}: ${one.files.join()}`,
      ),
    ]),
  );
}

test('the forecast finds a file where another has a directory', async () => {
  const at = await field({ 'a.txt': 'a\n' });
  await at.work('one', { thing: 'a file\n' });
  const two = await at.work('two', { 'b.txt': 'b\n' });
  mkdirSync(join(two.path, 'thing'));
  writeFileSync(join(two.path, 'thing/inner.txt'), 'in a directory\n');
  expect(await overlaps(at)).toEqual({ one: [], two: ['conflict one: thing'] });
  expect(states(await landAll(at))).toEqual({ one: 'landed', two: 'conflict' });
});

test('the forecast finds a new file in a directory that another renames', async () => {
  const at = await field({ 'old/1.txt': 'eins\n', 'old/2.txt': 'zwei\n', 'old/3.txt': 'drei\n' });
  const one = await at.work('one', { 'x.txt': 'x\n' });
  await at.repository.git('-C', one.path, 'mv', 'old', 'new');
  await at.work('two', { 'old/added.txt': 'added\n' });
  await at.work('three', { 'three.txt': '3\n' });
  const found = await overlaps(at);
  expect(found.two?.[0]).toMatch(/^conflict one: .*added\.txt/);
  expect(found.three).toEqual([]);
});

test('what a worker merged from the target is not counted as its own', async () => {
  const at = await field({ 'a.txt': 'a\n' });
  const one = await at.work('one', { 'one.txt': '1\n' }, { commit: 'One' });
  await at.repository.write('user.txt', 'user\n');
  await at.repository.git('add', '--all');
  await at.repository.git('commit', '--quiet', '--message=User');
  await at.repository.git('-C', one.path, 'merge', '--quiet', '--no-edit', 'main');
  const { worktrees } = expectOk(await forecast(at.landing));
  expect(worktrees[0]?.files).toEqual(['one.txt']);
  expect(expectOk(await diffWorktree(at.landing, one))).not.toContain('user.txt');
  const left = expectOk(await leaveWorktree(one, at.world));
  expect(left.kept && left.diffstat.files.map(({ path }) => path)).toEqual(['one.txt']);
  const [landing] = (await landAll(at)).landings;
  expect(landing?.status === 'landed' && landing.files).toEqual(['one.txt']);
});

test('a file that the user is at work on blocks only the work that changes it, by the name of its worktree', async () => {
  const at = await field({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  await at.work('one', { 'a.txt': 'one\n' });
  await at.work('two', { 'b.txt': 'two\n' });
  await at.repository.write('a.txt', 'mine\n');
  const report = await landAll(at);
  expect(states(report)).toEqual({ one: 'blocked', two: 'landed' });
  expect(blockedBy(report).files).toEqual(['a.txt']);
  expect(await at.repository.read('a.txt')).toBe('mine\n');
  expect(await at.repository.read('b.txt')).toBe('two\n');
});

for (const target of ['.', '..'])
  test(`a directory that became a link to ${target} is a link, not a repository`, async () => {
    const at = await field({ 'a.txt': 'a\n', 'lib/b.txt': 'b\n' });
    const one = await at.work('one', { 'a.txt': 'A\n' });
    rmSync(join(one.path, 'lib'), { recursive: true });
    symlinkSync(target, join(one.path, 'lib'));
    symlinkSync(target, join(one.path, 'here'));
    expect(states(await landAll(at))).toEqual({ one: 'landed' });
    expect(await at.repository.git('ls-files', '--stage', 'lib')).toStartWith('120000');
  });

test('those that were started at the same moment land in the order of their start, whatever they are called', async () => {
  const at = await field({ 'a.txt': 'a\n' });
  const begun = ['zebra', 'mole', 'ant'];
  const createdAt = '2026-01-01T00:00:00.000Z';
  for (const [index, slug] of begun.entries())
    await at.work(slug, { [`${slug}.txt`]: 'x\n' }, { start: { at: createdAt, ordinal: index } });
  expect(listRecords(at.home).map(({ slug }) => slug)).toEqual(begun);
  expect((await landAll(at)).landings.map(({ name }) => name)).toEqual(begun);
});
