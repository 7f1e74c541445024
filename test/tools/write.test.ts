import { expect, test } from 'bun:test';
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../../src/lib/result.ts';
import { readTool } from '../../src/tools/files/read.ts';
import { writeTool } from '../../src/tools/files/write.ts';
import { call, toolContextForTests } from './support.ts';

test('a new file is created with its directories, and can be written again', async () => {
  const context = toolContextForTests();
  const first = await call(writeTool, { file_path: 'a/b/c.txt', content: 'one\n' }, context);
  expect(first).toMatchObject({ text: `Created ${context.root}/a/b/c.txt (1 line).`, isError: false });
  const second = await call(writeTool, { file_path: 'a/b/c.txt', content: 'two\n' }, context);
  expect(second.isError).toBe(false);
  expect(context.content('a/b/c.txt')).toBe('two\n');
  expect(context.kept.map((entry) => entry.before)).toEqual([null, 'one\n']);
});

test('a file that was not read is not overwritten', async () => {
  const context = toolContextForTests();
  context.write('a.txt', 'theirs');
  const result = await call(writeTool, { file_path: 'a.txt', content: 'mine' }, context);
  expect(result.isError).toBe(true);
  expect(result.text).toContain('has not been read yet');
  expect(context.content('a.txt')).toBe('theirs');
});

test('a file that changed since is not overwritten, and the change is shown', async () => {
  const context = toolContextForTests();
  context.write('a.txt', 'one\ntwo\nthree\n');
  await call(readTool, { file_path: 'a.txt' }, context);
  context.write('a.txt', 'one\nTWO\nthree\n');
  const result = await call(writeTool, { file_path: 'a.txt', content: 'mine' }, context);
  expect(result.isError).toBe(true);
  expect(result.text).toContain('@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three');
  expect(context.kept).toEqual([]);
});

test('a file written anew with the same content has not changed', async () => {
  const context = toolContextForTests();
  const path = context.write('a.txt', 'same');
  await call(readTool, { file_path: 'a.txt' }, context);
  writeFileSync(path, 'same');
  expect((await call(writeTool, { file_path: 'a.txt', content: 'new' }, context)).isError).toBe(false);
});

test('the mode stays, and a symlink stays a symlink', async () => {
  const context = toolContextForTests();
  const path = context.write('real.sh', 'old');
  chmodSync(path, 0o751);
  symlinkSync('real.sh', join(context.root, 'link.sh'));
  await call(readTool, { file_path: 'link.sh' }, context);
  await call(writeTool, { file_path: 'link.sh', content: 'new' }, context);
  expect(lstatSync(join(context.root, 'link.sh')).isSymbolicLink()).toBe(true);
  expect(context.content('real.sh')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o751);
});

test('nothing is written when the content before cannot be kept', async () => {
  const context = toolContextForTests({
    history: { keep: async () => failure('Cannot write /history: the disk is full.') },
  });
  const result = await call(writeTool, { file_path: 'a.txt', content: 'x' }, context);
  expect(result).toMatchObject({ isError: true, text: 'Cannot write /history: the disk is full.' });
  expect(readdirSync(context.root)).toEqual([]);
});

test('a change made while the content before is kept is not lost', async () => {
  const context = toolContextForTests();
  const path = context.write('a.txt', 'seen');
  await call(readTool, { file_path: 'a.txt' }, context);
  const history: typeof context.history = {
    keep: async (...args) => {
      writeFileSync(path, 'changed meanwhile');
      return await context.history.keep(...args);
    },
  };
  const result = await call(writeTool, { file_path: 'a.txt', content: 'mine' }, { ...context, history });
  expect(result.isError).toBe(true);
  expect(context.content('a.txt')).toBe('changed meanwhile');
});

test('a directory is not overwritten', async () => {
  const context = toolContextForTests();
  mkdirSync(join(context.root, 'dir'));
  expect((await call(writeTool, { file_path: 'dir', content: '' }, context)).text).toContain(
    'is a directory',
  );
});
