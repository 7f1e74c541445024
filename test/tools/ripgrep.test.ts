import { expect, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashBytes } from '../../src/lib/hash.ts';
import { coreTools } from '../../src/tools/index.ts';
import { locateRipgrep, type RipgrepSource } from '../../src/tools/search/ripgrep.ts';
import { temporaryDirectory } from '../support/index.ts';
import { call, toolContextForTests } from './support.ts';

const bytes = Buffer.from('#!/bin/sh\necho embedded\n');

function embedded(): { source: RipgrepSource; reads: () => number } {
  let reads = 0;
  const read = async () => {
    reads++;
    return bytes;
  };
  return { source: { kind: 'embedded', bytes: read, hash: hashBytes(bytes) }, reads: () => reads };
}

test('an embedded program is extracted once, for its owner alone', async () => {
  const home = temporaryDirectory().path;
  const { source, reads } = embedded();
  const first = await locateRipgrep(source, home)();
  const second = await locateRipgrep(source, home)();
  expect(first).toEqual(second);
  expect(reads()).toBe(1);
  const path = first.ok ? first.value : '';
  expect(path).toStartWith(join(home, 'bin/rg-'));
  expect([statSync(path).mode & 0o777, statSync(join(home, 'bin')).mode & 0o777]).toEqual([0o700, 0o700]);
});

test('an extracted program that was changed is replaced', async () => {
  const home = temporaryDirectory().path;
  const { source } = embedded();
  const first = await locateRipgrep(source, home)();
  const path = first.ok ? first.value : '';
  writeFileSync(path, 'evil');
  await locateRipgrep(source, home)();
  expect(readFileSync(path)).toEqual(bytes);
});

test('damaged bytes are not run', async () => {
  const source: RipgrepSource = { kind: 'embedded', bytes: async () => bytes, hash: 'other' };
  expect((await locateRipgrep(source, temporaryDirectory().path)()).ok).toBe(false);
});

test('a missing ripgrep is a result that says what to do', async () => {
  const tools = coreTools({ kind: 'missing' }, '/nonexistent');
  const grep = tools.find((tool) => tool.name === 'Grep');
  if (!grep) throw new Error('no Grep');
  const result = await call(grep, { pattern: 'x' }, toolContextForTests());
  expect(result.isError).toBe(true);
  expect(result.text).toContain('grep in Bash');
});
