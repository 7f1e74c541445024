import { expect } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { createFileHistory } from '../../src/store/files/file-history.ts';
import { createOutputs, storeLargeResult } from '../../src/store/outputs.ts';
import { createTranscript, reopenTranscript } from '../../src/store/transcript.ts';
import { smallDisk } from '../support/index.ts';
import { conversation, headerFor, load, mustHave, user } from './build.ts';

const disk = smallDisk(128);

disk.test('on a full disk a session is not begun by half, and the message names the path', async () => {
  const path = join(disk.path, 'new', 'a.jsonl');
  await disk.whileFull(0, () => {
    const created = createTranscript(path, headerFor());
    expect(created).toMatchObject({ ok: false, problem: { message: expect.stringContaining(path) } });
    expect(existsSync(path)).toBe(false);
  });
  expect(createTranscript(path, headerFor()).ok).toBe(true);
});

disk.test('SE1: a session that met a full disk can be resumed when there is room', async () => {
  const path = join(disk.path, 'b.jsonl');
  const transcript = mustHave(createTranscript(path, headerFor()));
  for (const record of conversation) mustHave(transcript.append(record));
  const next = user('u4', 'u3', 'x'.repeat(20_000));
  await disk.whileFull(4096, async () => {
    expect(transcript.append(next)).toMatchObject({
      ok: false,
      problem: { message: `Cannot write ${path}: the disk is full (ENOSPC).`, hint: expect.any(String) },
    });
    expect((await load(path)).damage).toEqual([]);
  });
  transcript.close();
  const reopened = mustHave(reopenTranscript(path));
  mustHave(reopened.append(next));
  reopened.close();
  expect(await load(path)).toMatchObject({ records: [...conversation, next], damage: [] });
});

disk.test('on a full disk a file is not said to be kept, and no record names it', async () => {
  const directory = join(disk.path, 'history');
  const records: unknown[] = [];
  const history = createFileHistory(
    directory,
    (record) => ({ ok: true, value: void records.push(record) }),
    manualClock(),
  );
  await disk.whileFull(0, async () => {
    const kept = await history.keep('/project/a.ts', Buffer.alloc(9000, 1), 'c1');
    expect(kept).toMatchObject({ ok: false, problem: { message: expect.stringContaining(directory) } });
  });
  expect(records).toEqual([]);
  expect((await history.keep('/project/a.ts', Buffer.alloc(9000, 1), 'c1')).ok).toBe(true);
  expect(readdirSync(directory)).toHaveLength(1);
});

disk.test(
  'on a full disk a large result still comes back bounded and says why the rest is missing',
  async () => {
    const directory = join(disk.path, 'results');
    await disk.whileFull(0, () => {
      const stored = storeLargeResult(createOutputs(directory), 'c1', 'y'.repeat(50_000), 1000);
      expect(stored.path).toBeUndefined();
      expect(stored.text.length).toBeLessThan(1500);
      expect(stored.text).toContain(directory);
    });
    expect(existsSync(directory) ? readdirSync(directory) : []).toEqual([]);
  },
);
