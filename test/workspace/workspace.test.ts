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

test('a path below a file belongs to the repository of the file', () => {
  const { path } = temporaryDirectory();
  mkdirSync(join(path, '.git'));
  writeFileSync(join(path, 'file'), '');
  expect(findRoot(join(path, 'file/below'))).toBe(path);
});

test('there is no root outside a repository', () => {
  expect(findRoot(temporaryDirectory().path)).toBeUndefined();
});

test('a path is made absolute and normal, with ~ as the given home', () => {
  expect(resolvePath('/repo', 'a/../b//c')).toBe('/repo/b/c');
  expect(resolvePath('/repo', '/x/./y')).toBe('/x/y');
  expect(resolvePath('/repo', '~/notes', '/home/me')).toBe('/home/me/notes');
  expect(resolvePath('/repo', '~', '/home/me')).toBe('/home/me');
  expect(resolvePath('/repo', '~other', '/home/me')).toBe('/repo/~other');
  expect(resolvePath('/repo', '~/a')).toBe('/repo/~/a');
});

test('being within is judged by component', () => {
  expect(isWithin('/repo', '/repo')).toBe(true);
  expect(isWithin('/repo/a', '/repo')).toBe(true);
  expect(isWithin('/repo/..a', '/repo')).toBe(true);
  expect(isWithin('/repo-evil', '/repo')).toBe(false);
  expect(isWithin('/', '/repo')).toBe(false);
  expect(isWithin('/repo', '/')).toBe(true);
});
