import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { hashBytes } from '../../src/lib/hash.ts';
import { ok } from '../../src/lib/result.ts';
import type { FileHistoryRecord } from '../../src/protocol/record.ts';
import { putAllBack } from '../../src/rewind/put-all-back.ts';
import { createFileHistory } from '../../src/store/files/file-history.ts';
import { changesSince } from '../../src/store/files/file-lineage.ts';
import { keepBytes } from '../../src/store/files/kept-bytes.ts';
import { forgetBytes, lookAt } from '../../src/store/files/present-file.ts';
import type { FilePlan } from '../../src/store/files/rewind-files.ts';
import { mustHave } from '../store/build.ts';
import { temporaryDirectory } from '../support/index.ts';

function ground() {
  const { path } = temporaryDirectory();
  const fileHistory = join(path, 'kept');
  const records: FileHistoryRecord[] = [];
  const clock = manualClock(0);
  let onRecord = () => {};
  const append = (record: FileHistoryRecord) => {
    onRecord();
    return ok(void records.push(record));
  };
  const history = createFileHistory(fileHistory, append, clock);
  const atFirstRecord = (act: () => void) => {
    onRecord = () => {
      onRecord = () => {};
      act();
    };
  };
  const file = (name: string) => join(path, name);
  const restore = (name: string, text: string): FilePlan => ({
    ...{ path: file(name), action: 'restore', present: forgetBytes(lookAt(file(name))) },
    target: mustHave(keepBytes(fileHistory, Buffer.from(text))),
  });
  const put = (plans: readonly FilePlan[], onProgress?: (done: number, of: number) => void) =>
    putAllBack({ history, files: { fileHistory }, clock }, 'r1', plans, onProgress);
  return { file, records, restore, put, clock, atFirstRecord };
}

test('a file that could not be put back is recorded as it is, and its changes are still part of it', async () => {
  const { file, records, restore, put, atFirstRecord } = ground();
  writeFileSync(file('a'), 'mine');
  const plan = restore('a', 'one');
  atFirstRecord(() => writeFileSync(file('a'), 'changed at this moment'));
  const left = await put([plan]);
  expect(left).toEqual([{ path: file('a'), reason: 'another process just changed it.' }]);
  const [mine, one] = [hashBytes('mine'), hashBytes('one')];
  expect(records).toMatchObject([
    { cause: 'rewind', before: mine, after: one },
    { cause: 'rewind', before: one, after: mine },
  ]);
  const own: FileHistoryRecord = {
    ...{ type: 'file-history', timestamp: '', toolUseId: '', path: file('a') },
    ...{ before: one, after: mine, cause: 'outside' },
  };
  const placed = [own, ...records].map((record, place) => ({ record, place }));
  expect(changesSince(placed, { hash: mine }, 0, () => 0)).toEqual([own]);
});

test('a file that changed since it was planned stays, and nothing is recorded about it', async () => {
  const { file, records, restore, put } = ground();
  writeFileSync(file('a'), 'mine');
  const plan = restore('a', 'one');
  writeFileSync(file('a'), 'changed since');
  expect(await put([plan])).toEqual([{ path: file('a'), reason: 'another process just changed it.' }]);
  expect([readFileSync(file('a'), 'utf8'), records]).toEqual(['changed since', []]);
});

test('hundreds of files in many directories are put back whole, with nothing left beside them', async () => {
  const { file, restore, put, clock } = ground();
  mkdirSync(file('work'));
  const names = Array.from({ length: 300 }, (_, index) => `work/${index % 140}/${index}`);
  const told: number[] = [];
  const left = await put(
    names.map((name) => restore(name, `text of ${name}`)),
    (done, of) => {
      told.push(done);
      expect(of).toBe(300);
      clock.advance(done === 0 ? 100 : 0);
    },
  );
  expect(left).toEqual([]);
  // Twice only: time stood still after that.
  expect(told).toEqual([0, 1]);
  for (const name of names) expect(readFileSync(file(name), 'utf8')).toBe(`text of ${name}`);
  expect(readdirSync(file('work'), { recursive: true })).toHaveLength(440);
  expect(existsSync(file('work/0/0'))).toBe(true);
});

test('no file stays open', async () => {
  if (!existsSync('/proc/self/fd')) return;
  const { restore, put } = ground();
  const before = readdirSync('/proc/self/fd').length;
  await put(Array.from({ length: 150 }, (_, index) => restore(`${index}`, 'x')));
  expect(readdirSync('/proc/self/fd').length).toBeLessThan(before + 20);
});
