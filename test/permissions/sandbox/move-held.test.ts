import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { moveHeld } from '../../../src/permissions/sandbox/move-held.ts';
import { realPathOf } from '../../../src/workspace/real-path.ts';
import { describeTree, temporaryDirectory } from '../../support/index.ts';

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
  expect(describeTree(to)).toEqual({
    away: `-> ${outside}`,
    bytes: '-> \xff',
    'caf\xe9': expect.stringContaining('odd'),
    deep: expect.stringContaining('directory'),
    'deep/run.sh': '755: text',
  });
  expect(describeTree(outside)).toEqual({ mine: expect.stringContaining('mine') });
});
