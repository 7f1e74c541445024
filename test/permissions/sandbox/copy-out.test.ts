import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyOut } from '../../../src/sandbox/guard/copy-out.ts';
import { resolveRealPath } from '../../../src/workspace/real-path.ts';
import { describeTree, temporaryDirectory } from '../../support/index.ts';

test('a tree is copied with its modes, links and names of any bytes; nothing behind a link is touched', () => {
  const top = resolveRealPath(temporaryDirectory().path);
  const [from, to, outside] = ['from', 'to', 'outside'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(join(from, 'deep'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'mine'), 'mine');
  writeFileSync(join(from, 'deep/run.sh'), 'text', { mode: 0o755 });
  writeFileSync(Buffer.from(`${from}/caf\xe9`, 'latin1'), 'odd');
  symlinkSync(outside, join(from, 'away'));
  symlinkSync(Buffer.from('\xff', 'latin1'), join(from, 'bytes'));
  execFileSync('mkfifo', [join(from, 'pipe')]);
  const room = { bytes: 1000, entries: 100 };
  expect(copyOut(from, to, { room })).toEqual([]);
  expect(describeTree(to)).toEqual({
    away: `-> ${outside}`,
    bytes: '-> \xff',
    'caf\xe9': expect.stringContaining('odd'),
    deep: expect.stringContaining('directory'),
    'deep/run.sh': '755: text',
  });
  expect(describeTree(outside)).toEqual({ mine: expect.stringContaining('mine') });
});

test('a file that is too large for the room is not copied, and there is no part of it', () => {
  const top = resolveRealPath(temporaryDirectory().path);
  mkdirSync(join(top, 'from'));
  writeFileSync(join(top, 'from/large'), 'x'.repeat(100));
  writeFileSync(join(top, 'from/small'), 'small');
  const lost = copyOut(join(top, 'from'), join(top, 'to'), { room: { bytes: 50, entries: 10 } });
  expect(lost).toEqual([{ name: 'large', why: 'it has 100 bytes' }]);
  expect(Object.keys(describeTree(join(top, 'to')))).toEqual(['small']);
});

test('on the same disk a file that is too large is moved', () => {
  const top = resolveRealPath(temporaryDirectory().path);
  writeFileSync(join(top, 'large'), 'x'.repeat(100));
  const options = { room: { bytes: 50, entries: 10 }, movesFor: join(top, 'home') };
  expect(copyOut(join(top, 'large'), join(top, 'to'), options)).toEqual([]);
  expect(Object.keys(describeTree(top))).toEqual(['to']);
});

test('of more files than there is room for, and of deep directories, the rest is said to be lost', () => {
  const top = resolveRealPath(temporaryDirectory().path);
  mkdirSync(join(top, `deep/${'d/'.repeat(70)}`), { recursive: true });
  mkdirSync(join(top, 'many'));
  for (let index = 0; index < 20; index++) writeFileSync(join(top, `many/${index}`), '');
  const deep = copyOut(join(top, 'deep'), join(top, 'to'), { room: { bytes: 50, entries: 100 } });
  expect(deep).toMatchObject([{ why: 'it is too deep' }]);
  const many = copyOut(join(top, 'many'), join(top, 'to2'), { room: { bytes: 50, entries: 10 } });
  expect(many).toMatchObject([{ why: expect.stringContaining('too many') }]);
  expect(Object.keys(describeTree(join(top, 'to2')))).toHaveLength(9);
});

test('holes stay holes', () => {
  const top = resolveRealPath(temporaryDirectory().path);
  writeFileSync(join(top, 'sparse'), '');
  truncateSync(join(top, 'sparse'), 64 * 1024 * 1024);
  const room = { bytes: 100 * 1024 * 1024, entries: 10 };
  expect(copyOut(join(top, 'sparse'), join(top, 'to'), { room })).toEqual([]);
  const { size, blocks } = statSync(join(top, 'to'));
  expect([size, blocks]).toEqual([64 * 1024 * 1024, 0]);
});
