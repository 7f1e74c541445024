import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { temporaryWorkspace } from '../../src/testing/index.ts';

test('a temporary workspace holds its files and goes away', async () => {
  let path = '';
  {
    await using workspace = await temporaryWorkspace({ 'deep/down/a.txt': 'hello' });
    path = workspace.path;
    expect(await workspace.read('deep/down/a.txt')).toBe('hello');
  }
  expect(existsSync(path)).toBe(false);
});

test('a temporary workspace can be a repository with one commit', async () => {
  await using workspace = await temporaryWorkspace({ 'a.txt': 'hello' }, { git: true });
  expect(await workspace.git('log', '--format=%an %s')).toBe('Test Start\n');
  expect(await workspace.git('status', '--short', '--branch')).toBe('## main\n');
});
