import { beforeEach, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';

let top: string;
beforeEach(() => {
  top = temporaryDirectory().path;
  mkdirSync(join(top, 'work'));
  mkdirSync(join(top, 'outside'));
  writeFileSync(join(top, 'outside/file'), '');
  symlinkSync('../outside', join(top, 'work/link'));
});

test('follows links of what exists', () => {
  expect<string>(resolveRealPath(join(top, 'work/link/file'))).toBe(join(top, 'outside/file'));
});

test('follows links on the way to what does not exist yet', () => {
  expect<string>(resolveRealPath(join(top, 'work/link/new/deeper'))).toBe(join(top, 'outside/new/deeper'));
});

test('a link to nothing leads to where the new file would be', () => {
  symlinkSync(join(top, 'outside/not-yet'), join(top, 'work/dangling'));
  expect<string>(resolveRealPath(join(top, 'work/dangling'))).toBe(join(top, 'outside/not-yet'));
});

test('a link whose target climbs is resolved from where the link really is', () => {
  symlinkSync('link/../gone', join(top, 'work/climb'));
  expect<string>(resolveRealPath(join(top, 'work/climb'))).toBe(join(top, 'gone'));
});

test('a loop leads to the root, outside of any workspace', () => {
  symlinkSync('b', join(top, 'work/a'));
  symlinkSync('a', join(top, 'work/b'));
  expect<string>(resolveRealPath(join(top, 'work/a'))).toBe('/');
});
