import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { hashBytes } from '../../src/lib/hash.ts';
import { inspect } from '../../src/store/snapshot/inspect.ts';
import { readJournal, SnapshotJournal } from '../../src/store/snapshot/journal.ts';
import { temporaryDirectory } from '../support/index.ts';

function fileWith(text: string): string {
  const path = join(temporaryDirectory().path, 'file');
  writeFileSync(path, text);
  return path;
}

/** The clock is read between the stat of a file and its bytes: so a writer can be put exactly there. */
function clockThat(act: (reading: number) => void): Clock {
  let readings = 0;
  return {
    ...systemClock,
    now() {
      act(++readings);
      return Date.now();
    },
  };
}

test('a file that is truncated between its stat and its bytes is read again, not known as empty with an old time', () => {
  const path = fileWith('content');
  const old = inspect(path, systemClock)?.entry.stamp;
  const found = inspect(
    path,
    clockThat((reading) => {
      if (reading === 2) truncateSync(path);
    }),
  );
  expect(found?.entry).toMatchObject({ state: hashBytes(Buffer.alloc(0)), stamp: { size: 0 } });
  expect(found?.entry.stamp?.size).not.toBe(old?.size);
});

test('a file that changes whenever it is read is marked as not kept, and looked at again', () => {
  const path = fileWith('content');
  const found = inspect(
    path,
    clockThat(() => appendFileSync(path, 'more')),
  );
  expect(found?.bytes).toBeUndefined();
  expect(found?.entry).toMatchObject({ isFresh: true, state: 'unkept: it was being written' });
});

test('a journal that is too large, or is not a file, is ignored', () => {
  const { path } = temporaryDirectory();
  const journal = join(path, 'snapshot.jsonl');
  new SnapshotJournal(journal).begin({ toolUseId: 't1', at: 1 });
  expect(readJournal(journal)?.open).toEqual([{ toolUseId: 't1', at: 1 }]);
  truncateSync(journal, 64 * 1024 * 1024 + 1);
  expect(readJournal(journal)).toBeUndefined();
  execFileSync('mkfifo', [join(path, 'pipe')]);
  expect(readJournal(join(path, 'pipe'))).toBeUndefined();
});
