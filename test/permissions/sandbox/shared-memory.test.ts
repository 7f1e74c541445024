import { expect } from 'bun:test';
import { join } from 'node:path';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { put, roomIn, run } from './support.ts';

const test = needs('bwrap');

test('in a workspace below /dev/shm a command that only reads sees the files, and cannot write them', async () => {
  const at = roomIn(temporaryDirectory('/dev/shm').path);
  put(at, { 'a/b.txt': 'content' });
  const more = { scope: { writes: 'none' }, in: join(at.cwd, 'a') } as const;
  expect(await run(at, 'cat b.txt', more)).toMatchObject({ code: 0, text: 'content' });
  expect((await run(at, 'echo x > b.txt', more)).text).toContain('Read-only file system');
  expect(await run(at, 'echo more > c.txt; cat a/b.txt')).toMatchObject({ code: 0, text: 'content' });
});

test('nothing else in /dev/shm exists inside', async () => {
  const at = roomIn(temporaryDirectory('/dev/shm').path);
  const other = temporaryDirectory('/dev/shm').path;
  const { text } = await run(at, `ls -d ${other}`, { scope: { writes: 'none' } });
  expect(text).toContain('No such file or directory');
});
