import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Field, field, landAll, reasonOf, states } from './support.ts';

/** A worktree that was rebased where git could not remove the name of the last commit it picked. */
async function rebased(): Promise<{ at: Field; path: string; name: string }> {
  const at = await field({ 'a.txt': 'a\n' });
  const { git, path: top } = at.repository;
  const { path } = await at.work('w', { 'new.txt': 'new\n' }, { commit: 'Work' });
  const picked = (await git('-C', path, 'rev-parse', 'HEAD')).trim();
  writeFileSync(join(top, 'b.txt'), 'b\n');
  await git('add', '--all');
  await git('commit', '--quiet', '--message=Main');
  await git('-C', path, 'rebase', '--quiet', 'main');
  const name = join(top, '.git/worktrees/w/CHERRY_PICK_HEAD');
  writeFileSync(name, `${picked}\n`);
  return { at, path, name };
}

test('work lands that was rebased where git left the name of the last picked commit', async () => {
  const { at } = await rebased();
  expect(states(await landAll(at))).toEqual({ w: 'landed' });
});

test('also with changes since that are not committed', async () => {
  const { at, path } = await rebased();
  writeFileSync(join(path, 'more.txt'), 'more\n');
  expect(states(await landAll(at))).toEqual({ w: 'landed' });
});

test('a pick that is resolved and not committed does not land', async () => {
  const { at, path, name } = await rebased();
  const { git } = at.repository;
  const base = (await git('-C', path, 'rev-parse', 'HEAD')).trim();
  writeFileSync(join(path, 'new.txt'), 'other\n');
  await git('-C', path, 'commit', '--quiet', '--all', '--message=Other');
  const other = (await git('-C', path, 'rev-parse', 'HEAD')).trim();
  await git('-C', path, 'reset', '--quiet', '--hard', base);
  writeFileSync(join(path, 'new.txt'), 'resolved\n');
  await git('-C', path, 'add', '--all');
  writeFileSync(name, `${other}\n`);
  expect(reasonOf(await landAll(at), 'w')).toContain('a cherry-pick is unfinished');
});
