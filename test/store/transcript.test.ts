import { expect, test } from 'bun:test';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import { countedIds } from '../../src/lib/ids.ts';
import type { TranscriptRecord } from '../../src/protocol/record.ts';
import { restoreConversation } from '../../src/store/conversation.ts';
import { loadForResume } from '../../src/store/resume-read.ts';
import { createTranscript, loadTranscript, reopenTranscript } from '../../src/store/transcript.ts';
import { holdSyncs } from '../support/held-syncs.ts';
import { temporaryDirectory } from '../support/index.ts';
import { until } from '../support/until.ts';
import { assistant, call, conversation, headerFor, load, mustHave, result, save, user } from './build.ts';

const { path: directory } = temporaryDirectory();
let files = 0;
const freshPath = () => join(directory, 'projects', `${++files}.jsonl`);

test('what is appended is loaded, header apart', async () => {
  const path = freshPath();
  save(path, conversation);
  const loaded = await load(path);
  expect(loaded).toEqual({
    path,
    header: headerFor(),
    records: conversation,
    damage: [],
    unknown: 0,
    epoch: 0,
    late: [],
    unreadAfter: new Set(),
  });
});

test('a transcript and its directory are private', () => {
  const path = freshPath();
  save(path, conversation);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
});

test('a session that exists is not begun again', () => {
  const path = freshPath();
  save(path, conversation);
  const before = readFileSync(path);
  expect(createTranscript(path, headerFor())).toMatchObject({ ok: false, problem: { kind: 'usage' } });
  expect(readFileSync(path)).toEqual(before);
});

test('SE1: cut at every byte of its last three records it loads, keeps the rest, tells the damage and goes on', async () => {
  const path = freshPath();
  save(path, conversation);
  const whole = readFileSync(path);
  const ends = [...whole.keys()].filter((index) => whole[index] === 0x0a);
  const from = (ends.at(-4) ?? 0) + 1;
  for (let cut = from; cut <= whole.length; cut++) {
    writeFileSync(path, whole.subarray(0, cut));
    const wholeRecords = ends.filter((end) => end <= cut).length - 1;
    const torn = whole.subarray(0, cut).lastIndexOf(0x0a) + 1;

    const loaded = await load(path);
    expect(loaded.records).toEqual(conversation.slice(0, wholeRecords));
    const damage = torn < cut && !ends.includes(cut);
    expect(loaded.damage).toEqual(
      damage
        ? [
            {
              line: wholeRecords + 2,
              offset: torn,
              length: cut - torn,
              reason: expect.any(String),
              isCutOff: true,
            },
          ]
        : [],
    );

    const reopened = mustHave(reopenTranscript(path));
    mustHave(reopened.append(user('next', null, 'and now')));
    reopened.close();
    const again = await load(path);
    expect(again.records).toEqual([...conversation.slice(0, wholeRecords), user('next', null, 'and now')]);
    expect(again.damage).toEqual(loaded.damage.map(({ isCutOff: _, ...same }) => same));
  }
});

test('SE1: wherever the cut is, the conversation can be gone on with after its repairs', async () => {
  const path = freshPath();
  save(path, conversation);
  const whole = readFileSync(path);
  for (let cut = 0; cut <= whole.length; cut += 7) {
    writeFileSync(path, whole.subarray(0, cut));
    const { repairs, messages } = restoreConversation(await load(path), manualClock(), countedIds());
    const reopened = mustHave(reopenTranscript(path));
    for (const repair of repairs) mustHave(reopened.append(repair));
    reopened.close();
    const again = restoreConversation(await load(path), manualClock(), countedIds());
    expect(again.messages).toEqual(messages);
    expect(again.repairs).toEqual([]);
    expect(again.broken).toEqual([]);
  }
});

test('NUL blocks and bad lines in the middle cost only themselves', async () => {
  const path = freshPath();
  save(path, []);
  const lines = conversation.map((record) => JSON.stringify(record));
  appendFileSync(path, `${lines[0]}\n${'\0'.repeat(5000)}${lines[1]}\n{"type":"user"\n${lines[2]}\n\0\0\0\n`);
  appendFileSync(path, `{"type":"user","uuid":7}\n${lines[3]}\n`);
  const loaded = await load(path);
  expect(loaded.records).toEqual(conversation.slice(0, 4));
  expect(loaded.damage.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
    '3: a block of NUL bytes',
    '4: incomplete JSON',
    '6: a block of NUL bytes',
    '7: a record of type user with a missing or invalid parentUuid',
  ]);
});

test('a damaged header is told and the rest is loaded', async () => {
  const path = freshPath();
  save(path, conversation);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, `#${text}`);
  const loaded = await load(path);
  expect(loaded.header).toBeUndefined();
  expect(loaded.records).toEqual(conversation);
  expect(loaded.damage.map((damage) => damage.reason)).toEqual(['no readable header', 'incomplete JSON']);
});

test('records of an unknown type are left out and counted', async () => {
  const path = freshPath();
  save(path, conversation);
  appendFileSync(path, '{"type":"from-the-future"}\n{"x":1}\n');
  const loaded = await load(path);
  expect(loaded.records).toEqual(conversation);
  expect(loaded.unknown).toBe(2);
  expect(loaded.damage).toEqual([]);
});

test('a newer format is refused with the path and what to do', async () => {
  const path = freshPath();
  mustHave(createTranscript(path, { ...headerFor(), format: 2 })).close();
  expect(await loadTranscript(path)).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining(path), hint: expect.stringContaining('Update') },
  });
});

test('records whose parts are of the wrong shape are damage', async () => {
  const path = freshPath();
  const bad = [
    user('x', null, [{ type: 'tool_result', tool_use_id: 'c' } as never]),
    assistant('x', null, [{ ...call('c'), input: 'ls' } as never]),
    { ...assistant('x', null, 'a'), message: { role: 'user', content: [] } },
    { ...user('x', null, 'a'), origin: undefined },
    { type: 'session-state', timestamp: '', model: 'm', cwd: '/', permissionMode: 'everything' },
    { type: 'file-history', timestamp: '', toolUseId: 'c', path: '/a', before: 7 },
  ];
  save(path, []);
  appendFileSync(path, bad.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const loaded = await load(path);
  expect(loaded.records).toEqual([]);
  expect(loaded.damage).toHaveLength(bad.length);
});

test('a missing transcript is a failure that names it', async () => {
  const path = freshPath();
  expect(await loadTranscript(path)).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining(path) },
  });
  expect(reopenTranscript(path).ok).toBe(false);
});

test('two sessions that append to one transcript lose nothing', async () => {
  const path = freshPath();
  save(path, []);
  const [one, two] = [mustHave(reopenTranscript(path)), mustHave(reopenTranscript(path))];
  const records = Array.from({ length: 20 }, (_, index) => user(`u${index}`, null, [result(`c${index}`)]));
  for (const [index, record] of records.entries()) mustHave((index % 2 ? one : two).append(record));
  one.close();
  two.close();
  expect((await load(path)).records).toEqual(records);
});

test('a transcript that cannot be looked at is a failure that names it, not a throw', async () => {
  const disk = memoryDisk();
  disk.stat = () => {
    throw Object.assign(new Error('EIO'), { code: 'EIO' });
  };
  for (const load of [loadTranscript('/a.jsonl', disk), loadForResume('/a.jsonl', undefined, disk)])
    expect(await load).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('/a.jsonl') },
    });
});

test('the end of an agent and its notification are synced, other records are not, and closing waits for what is not synced yet', async () => {
  const { disk, now, pending } = holdSyncs(memoryDisk());
  const transcript = mustHave(createTranscript('/t/t.jsonl', headerFor(), disk));
  const task = { id: 't1', runId: 'r1', kind: 'local_agent', status: 'running', description: 'd' };
  const state = (end?: object) =>
    ({ type: 'task-state', timestamp: '', task, ...(end ? { end } : {}) }) as unknown as TranscriptRecord;
  for (const record of [...conversation, state()]) mustHave(transcript.append(record));
  expect(pending).toHaveLength(0);
  expect(transcript.synced()).toBeUndefined();
  mustHave(transcript.append(state({ status: 'completed', text: 'ok' })));
  expect(pending).toHaveLength(1);
  const told = { ...user('u9', 'u3', 'It ended.'), origin: { kind: 'task-notification', runId: 'r1' } };
  mustHave(transcript.append(told as TranscriptRecord));
  // One at a time: the second begins when the first is done.
  expect(pending).toHaveLength(1);
  pending.shift()?.();
  await until(() => pending.length === 1);
  expect(transcript.synced()).toBeDefined();
  expect(now).toEqual([]);
  transcript.close();
  expect(now).toEqual(['/t/t.jsonl']);
  pending.shift()?.();
  await until(() => transcript.synced() === undefined);
});
