import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { moveHeld } from '../../../src/permissions/sandbox/move-held.ts';
import { realPathOf } from '../../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../../support/index.ts';

test('a tree is moved with its modes, links and names of any bytes; nothing behind a link is touched', () => {
  const top = realPathOf(temporaryDirectory().path);
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
  moveHeld(from, to);
  expect(existsSync(from)).toBe(false);
  expect(readdirSync(to, 'latin1').toSorted()).toEqual(['away', 'bytes', 'caf\xe9', 'deep']);
  expect([
    readFileSync(join(to, 'deep/run.sh'), 'utf8'),
    lstatSync(join(to, 'deep/run.sh')).mode & 0o777,
  ]).toEqual(['text', 0o755]);
  expect(readlinkSync(join(to, 'away'))).toBe(outside);
  expect(readlinkSync(join(to, 'bytes'), 'latin1')).toBe('\xff');
  expect(readFileSync(join(outside, 'mine'), 'utf8')).toBe('mine');
});
