import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countLines } from '../../src/rewind/report.ts';
import { keepBytes } from '../../src/store/files/kept-bytes.ts';
import { forgetBytes, lookAt } from '../../src/store/files/present-file.ts';
import type { FilePlan } from '../../src/store/files/rewind-files.ts';
import { mustHave } from '../store/build.ts';
import { create } from '../store/rewind-story.ts';
import { temporaryDirectory } from '../support/index.ts';

function ground() {
  const { path } = temporaryDirectory();
  const kept = join(path, 'kept');
  mkdirSync(join(path, 'work'));
  const restore = (name: string, now: string | Uint8Array, then: string | null): FilePlan => {
    const file = join(path, 'work', name);
    writeFileSync(file, now);
    const target = then === null ? null : mustHave(keepBytes(kept, Buffer.from(then)));
    return {
      path: file,
      action: target === null ? 'remove' : 'restore',
      present: forgetBytes(lookAt(file)),
      target,
    };
  };
  const count = (plans: readonly FilePlan[], maxTotal?: number) => countLines(plans, kept, maxTotal);
  return { restore, count };
}

const megabyte = 1024 * 1024;

test('lines that come back and lines that go are counted', async () => {
  const { restore, count } = ground();
  const plans = [restore('a', 'one\ntwo\n', 'one\nthree\nfour\n'), restore('b', 'new\n', null)];
  expect(await count(plans)).toEqual({ insertions: 2, deletions: 2 });
});

test('a file of which either side is large or not text is not counted', async () => {
  const { restore, count } = ground();
  const large = 'line\n'.repeat(megabyte / 4);
  const plans = [restore('a', large, 'one\n'), restore('b', 'one\n', large), restore('c', 'x\0', 'one\n')];
  expect(await count(plans)).toEqual({ insertions: 0, deletions: 0 });
});

test('files beyond a sum are not counted', async () => {
  const { restore, count } = ground();
  const plans = ['a', 'b', 'c'].map((name) => restore(name, 'x\n'.repeat(50), null));
  expect(await count(plans, 250)).toEqual({ insertions: 0, deletions: 100 });
});

test('a plan for many files holds the content of none', async () => {
  const at = create();
  for (const name of ['a', 'b', 'c']) {
    await at.edit(name, 'x'.repeat(megabyte));
    await at.edit(name, 'y'.repeat(megabyte));
  }
  const plans = at.plan(3);
  expect(plans.length).toBeGreaterThan(0);
  expect(JSON.stringify(plans).length).toBeLessThan(10_000);
});
