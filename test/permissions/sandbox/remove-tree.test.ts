import { expect, test } from 'bun:test';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree, removeTreeMeanwhile } from '../../../src/lib/files/remove-tree.ts';
import { findLeft, removeLeft } from '../../../src/sandbox/guard/left-sandboxes.ts';
import { needs, runUnprivileged, temporaryDirectory } from '../../support/index.ts';
import { room, run } from './support.ts';

/** So deep that no name leads to its end; each level is made in the one before. */
const deepScript = (levels: number, name: string) => `
import os
for i in range(${levels}):
    os.mkdir('${name}'); os.chdir('${name}')
open('file', 'w').close()`;

test('a tree of any depth, with long names, is removed', () => {
  const { path } = temporaryDirectory();
  const top = join(path, 'top');
  mkdirSync(top);
  execFileSync('python3', ['-c', deepScript(500, 'x'.repeat(200))], { cwd: top });
  expect(removeTree(top, 60_000)).toBe(true);
  expect(existsSync(top)).toBe(false);
});

test('nothing behind a link is removed, and a file goes as well', () => {
  const { path } = temporaryDirectory();
  for (const name of ['top/in', 'outside']) mkdirSync(join(path, name), { recursive: true });
  writeFileSync(join(path, 'outside/mine'), '');
  writeFileSync(join(path, 'single'), '');
  for (const name of ['top/link', 'top/in/link']) symlinkSync(join(path, 'outside'), join(path, name));
  expect([removeTree(join(path, 'top')), removeTree(join(path, 'single'))]).toEqual([true, true]);
  expect(existsSync(join(path, 'outside/mine'))).toBe(true);
});

test('directories that their maker closed are removed by an ordinary user', async () => {
  const script = join(import.meta.dir, 'remove-closed.script.ts');
  expect(await runUnprivileged<boolean>(script)).toBe(true);
});

test('a directory that another process keeps adding to is removed all the same', async () => {
  const { path } = temporaryDirectory();
  const top = join(path, 'top');
  mkdirSync(join(top, 'in'), { recursive: true });
  const adding = `echo ready; i=0; while : > f$i && mkdir d$i; do i=$((i + 1)); done 2> /dev/null`;
  const writer = spawn('sh', ['-c', adding], { cwd: join(top, 'in'), stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) => writer.stdout.once('data', resolve));
  const ended = new Promise((resolve) => writer.once('exit', resolve));
  while (!(await removeTreeMeanwhile(top)));
  await ended;
  expect(existsSync(top)).toBe(false);
});

test('what there is no time for is left, and can be removed later', async () => {
  const { path } = temporaryDirectory();
  const top = join(path, 'top');
  for (let index = 0; index < 50; index++) mkdirSync(join(top, `a${index}/b/c`), { recursive: true });
  expect(await removeTreeMeanwhile(top, { limitMs: -1 })).toBe(false);
  expect(existsSync(top)).toBe(true);
  expect(await removeTreeMeanwhile(top)).toBe(true);
});

needs('bwrap')('the end of a session does not wait for a deep tree in its private /tmp', async () => {
  const at = room();
  await run(at, `cd /tmp && python3 -c "${deepScript(4_000, 'd')}"`);
  await at.sandbox.close();
  expect(existsSync(at.directory)).toBe(false);
  expect(await removeLeft(at.home)).toBe(true);
  expect(findLeft(at.home)).toEqual([]);
});
