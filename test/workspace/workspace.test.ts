import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin, resolvePath } from '../../src/workspace/paths.ts';
import { findRoot } from '../../src/workspace/workspace.ts';
import { temporaryDirectory } from '../support/index.ts';

test('the root is the nearest directory that holds .git, as a directory or a file', () => {
  const { path } = temporaryDirectory();
  mkdirSync(join(path, 'repo/.git'), { recursive: true });
  mkdirSync(join(path, 'repo/tree/deep'), { recursive: true });
  expect(findRoot(join(path, 'repo/tree/deep'))).toBe(join(path, 'repo'));
  writeFileSync(join(path, 'repo/tree/.git'), 'gitdir: elsewhere');
  expect(findRoot(join(path, 'repo/tree/deep'))).toBe(join(path, 'repo/tree'));
});

test('there is no root outside a repository', () => {
  expect(findRoot(temporaryDirectory().path)).toBeUndefined();
});

test('a path is made absolute and normal, with ~ as the given home', () => {
  expect(resolvePath('/work', 'a/../b//c')).toBe('/work/b/c');
  expect(resolvePath('/work', '/x/./y')).toBe('/x/y');
  expect(resolvePath('/work', '~/notes', '/home/me')).toBe('/home/me/notes');
  expect(resolvePath('/work', '~', '/home/me')).toBe('/home/me');
  expect(resolvePath('/work', '~other', '/home/me')).toBe('/work/~other');
  expect(resolvePath('/work', '~/a')).toBe('/work/~/a');
});

test('being within is judged by component', () => {
  expect(isWithin('/work', '/work')).toBe(true);
  expect(isWithin('/work/a', '/work')).toBe(true);
  expect(isWithin('/work/..a', '/work')).toBe(true);
  expect(isWithin('/work-evil', '/work')).toBe(false);
  expect(isWithin('/', '/work')).toBe(false);
  expect(isWithin('/work', '/')).toBe(true);
});
