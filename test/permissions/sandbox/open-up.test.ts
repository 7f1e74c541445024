import { expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../../src/lib/files/remove-tree.ts';
import { openUp } from '../../../src/sandbox/guard/open-up.ts';
import { temporaryDirectory } from '../../support/index.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a closed directory is opened, and what a link leads to is not', () => {
  const top = realpathSync(temporaryDirectory().path);
  mkdirSync(join(top, 'closed'), { mode: 0o000 });
  mkdirSync(join(top, 'other'), { mode: 0o500 });
  symlinkSync(join(top, 'other'), join(top, 'link'));
  for (const name of ['closed', 'link', 'missing']) openUp(join(top, name));
  expect([modeOf(join(top, 'closed')), modeOf(join(top, 'other'))]).toEqual([0o700, 0o500]);
});

test('a tree goes with what is closed in it, and links in it lead nowhere', () => {
  const top = realpathSync(temporaryDirectory().path);
  mkdirSync(join(top, 'tree/a/b'), { recursive: true });
  mkdirSync(join(top, 'other'), { mode: 0o500 });
  writeFileSync(join(top, 'tree/a/b/file'), '');
  symlinkSync(join(top, 'other'), join(top, 'tree/a/link'));
  chmodSync(join(top, 'tree/a/b'), 0o000);
  chmodSync(join(top, 'tree/a'), 0o000);
  removeTree(join(top, 'tree'));
  expect([existsSync(join(top, 'tree')), modeOf(join(top, 'other'))]).toEqual([false, 0o500]);
});
