import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryWorkspace } from '../../src/testing/temporary-workspace.ts';
import { hasPlainSettings } from '../../src/workspace/git/plain-settings.ts';

async function openRepository() {
  const { path, git } = await temporaryWorkspace({ 'a.txt': 'a\n' }, { git: true });
  const linked = `${path}-linked`;
  await git('worktree', 'add', '--quiet', linked);
  return { path, git, linked };
}

test('a repository and its worktrees have plain settings until a filter, a driver or another file of settings is named', async () => {
  const { path, git, linked } = await openRepository();
  expect([path, linked, join(linked, 'below')].map(hasPlainSettings)).toEqual([true, true, true]);
  for (const name of ['filter.x.clean', 'merge.x.driver', 'diff.x.command', 'include.path']) {
    await git('config', name, 'x');
    expect([path, linked].map(hasPlainSettings)).toEqual([false, false]);
    await git('config', '--remove-section', name.replace(/\.[^.]*$/, ''));
  }
  expect(hasPlainSettings(linked)).toBe(true);
  await git('config', 'extensions.worktreeConfig', 'true');
  await git('-C', linked, 'config', '--worktree', 'filter.x.clean', 'x');
  expect([path, linked].map(hasPlainSettings)).toEqual([false, false]);
});

test('a worktree whose data does not point back to it, stands elsewhere or shares another directory is not sure', async () => {
  const { path, git, linked } = await openRepository();
  const pointer = readFileSync(join(linked, '.git'), 'utf8');
  const own = pointer.trim().replace('gitdir: ', '');
  const other = join(path, 'other');
  mkdirSync(other);
  writeFileSync(join(other, '.git'), pointer);
  expect(hasPlainSettings(other)).toBe(false);

  const common = readFileSync(join(own, 'commondir'), 'utf8');
  await git('-C', path, 'init', '--quiet', '--bare', 'elsewhere');
  writeFileSync(join(own, 'commondir'), `${path}/elsewhere\n`);
  expect(hasPlainSettings(linked)).toBe(false);
  writeFileSync(join(own, 'commondir'), common);
  expect(hasPlainSettings(linked)).toBe(true);

  renameSync(own, join(path, 'moved'));
  writeFileSync(join(linked, '.git'), `gitdir: ${path}/moved\n`);
  writeFileSync(join(path, 'moved/commondir'), `${path}/.git\n`);
  expect(hasPlainSettings(linked)).toBe(false);
});
