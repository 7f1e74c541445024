import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { clearDeadLock, holdFileLock } from '../../src/lib/files/file-lock.ts';
import { openRegular, touchRegular } from '../../src/lib/files/open-regular.ts';
import { openJsonlWriter, readJsonl, readJsonlTail } from '../../src/lib/jsonl/jsonl.ts';
import { fileLedger } from '../../src/models/budget/file-ledger.ts';
import { readKept } from '../../src/store/files/kept-bytes.ts';
import { skimTranscript } from '../../src/store/skim.ts';
import { recallFinishedTask } from '../../src/store/task-file.ts';
import { openForAppending, readBounded } from '../../src/tools/bash/output.ts';
import { passTime, temporaryDirectory } from '../support/index.ts';

/** A named pipe that nobody else has open: a plain `open` of it waits forever. */
function silentPipe(name = 'file.jsonl'): string {
  const path = join(temporaryDirectory().path, name);
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
  return path;
}

const nothing = { onRecord: () => true, onDamage: () => {} };

test('a named pipe in the place of a file of records is refused, and nothing waits for it', async () => {
  const path = silentPipe();
  const answers = [
    openJsonlWriter(path, 'either'),
    openJsonlWriter(path, 'existing'),
    await readJsonl(path, nothing),
    readJsonlTail(path, 1),
    await skimTranscript(path, 10),
    fileLedger(path).refresh(),
  ];
  for (const answer of answers)
    expect(answer).toMatchObject({
      ok: false,
      problem: {
        message: expect.stringContaining(`${path}: it is not a regular file`),
        hint: 'Move it away and try again.',
      },
    });
});

test('a named pipe in the place of kept bytes, outputs and finished tasks is not read', () => {
  const hash = 'a'.repeat(64);
  const kept = silentPipe(hash);
  expect(readKept(join(kept, '..'), hash).ok).toBe(false);
  const output = silentPipe('out.log');
  expect(readBounded(output, 100).text).toBe('');
  expect(() => openForAppending(output)).toThrow();
  const task = silentPipe('btask.json');
  expect(recallFinishedTask(join(task, '..'), 'btask')).toBeUndefined();
});

test('a named pipe in the place of a lock is waited for as long as a lock, not longer', async () => {
  const path = silentPipe('x.lock');
  clearDeadLock(path);
  const clock = manualClock();
  expect((await passTime(clock, holdFileLock(path, clock, { waitMs: 100 }))).ok).toBe(false);
});

test('a directory, a socket and a pipe are not regular files; a file is made with mode 0600', () => {
  const { path } = temporaryDirectory();
  mkdirSync(join(path, 'directory'));
  expect(() => openRegular(join(path, 'directory'))).toThrow('not a regular file');
  expect(() => touchRegular(silentPipe())).toThrow();
  touchRegular(join(path, 'mark'));
  expect(openRegular(join(path, 'mark'))).toBeGreaterThan(0);
});
