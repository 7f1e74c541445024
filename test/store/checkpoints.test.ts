import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import type { FileHistoryRecord, RewindRecord, TaskRecord, UserRecord } from '../../src/protocol/record.ts';
import { findCheckpoint, readCheckpoints } from '../../src/store/checkpoints.ts';
import { restoreConversation } from '../../src/store/conversation.ts';
import { assistant, boundary, call, loadedWith, result, sessionId, summary, user } from './build.ts';

const timestamp = '2026-01-01T00:00:00.000Z';

function rewind(uuid: string, to: string, from: string | null, head?: string | null): RewindRecord {
  return {
    type: 'rewind',
    uuid,
    timestamp,
    sessionId,
    to,
    from,
    files: 0,
    ...(head === undefined ? {} : { head }),
  };
}

function edited(path: string): FileHistoryRecord {
  return { type: 'file-history', timestamp, toolUseId: 'c', path, before: null };
}

const two = [
  user('u1', null, 'first\nmore'),
  assistant('a1', 'u1', 'A'),
  user('u2', 'a1', 'second'),
  assistant('a2', 'u2', 'B'),
];

const messagesOf = (records: Parameters<typeof loadedWith>[0]) =>
  restoreConversation(loadedWith(records), manualClock(), countedIds()).messages.map(({ uuid }) => uuid);

test('every prompt is a checkpoint, with its first line and the files changed from there on', () => {
  const [u1, a1, u2, a2] = two as [UserRecord, never, UserRecord, never];
  const points = readCheckpoints([u1, edited('/a'), a1, u2, edited('/a'), edited('/b'), a2]);
  expect(points).toMatchObject([
    { uuid: 'u1', kind: 'prompt', text: 'first', filesChanged: 2 },
    { uuid: 'u2', text: 'second', filesChanged: 2 },
  ]);
  expect(readCheckpoints([u1, edited('/a'), a1, u2])).toMatchObject([
    { filesChanged: 1 },
    { filesChanged: 0 },
  ]);
});

test('a file that is again what it was is not counted as changed', () => {
  const [u1, a1, u2, a2] = two as [UserRecord, never, UserRecord, never];
  const change = (path: string, before: string | null, after: string | null, mode?: number) => ({
    ...edited(path),
    ...{ before, after },
    ...(mode === undefined ? {} : { mode, modeAfter: 0o755 }),
  });
  const done = [u1, change('/a', null, 'one'), a1, u2, change('/b', null, 'two'), a2];
  const back = [change('/b', 'two', null), change('/a', 'one', null)];
  const again = [change('/a', null, 'one'), change('/b', null, 'two')];
  const counted = (records: Parameters<typeof readCheckpoints>[0]) =>
    readCheckpoints(records).map(({ filesChanged }) => filesChanged);
  expect(counted([...done, ...back, ...again])).toEqual([2, 1]);
  expect(counted([...done, ...back])).toEqual([0, 1]);
  expect(counted([...done, change('/a', 'one', 'one', 0o644)])).toEqual([2, 2]);
});

test('after a rewind the conversation ends where it was gone back to, and nothing of the file is gone', () => {
  expect(messagesOf([...two, rewind('r1', 'u2', 'a2', 'a1')])).toEqual(['u1', 'a1']);
  expect(messagesOf([...two, rewind('r1', 'u1', 'a2', null)])).toEqual([]);
});

test('what is said after a rewind follows the new head', () => {
  const records = [...two, rewind('r1', 'u2', 'a2', 'a1'), user('u3', 'a1', 'third')];
  expect(messagesOf(records)).toEqual(['u1', 'a1', 'u3']);
  expect(readCheckpoints(records).map(({ uuid }) => uuid)).toEqual(['u1', 'r1', 'u3']);
});

test('a rewind of files alone moves no head', () => {
  expect(messagesOf([...two, rewind('r1', 'u2', 'a2')])).toEqual(['u1', 'a1', 'u2', 'a2']);
});

test('a rewind is undone by going back to the rewind itself', () => {
  const records = [...two, rewind('r1', 'u1', 'a2', null)];
  expect(findCheckpoint(records, 'r1')).toMatchObject({
    kind: 'rewind',
    head: 'a2',
    text: 'before rewinding to: first',
  });
  expect(messagesOf([...records, rewind('r2', 'r1', null, 'a2')])).toEqual(['u1', 'a1', 'u2', 'a2']);
});

test('what was said last is listed last, also after a rewind that was undone', () => {
  const undone = [...two, rewind('r1', 'u2', 'a2', 'a1'), rewind('r2', 'r1', 'a1', 'a2')];
  const uuidsOf = (records: Parameters<typeof readCheckpoints>[0]) =>
    readCheckpoints(records).map(({ uuid }) => uuid);
  expect(uuidsOf(undone)).toEqual(['u1', 'u2', 'r1', 'r2']);
  expect(uuidsOf([...undone, user('u3', 'a2', 'third')])).toEqual(['u1', 'u2', 'r2', 'u3']);
});

test('until the next prompt a rewind can be repeated under the same number', () => {
  const uuidsOf = (records: Parameters<typeof readCheckpoints>[0]) =>
    readCheckpoints(records).map(({ uuid }) => uuid);
  const back = [...two, rewind('r1', 'u2', 'a2', 'a1')];
  expect(uuidsOf(back)).toEqual(['u1', 'u2', 'r1']);
  expect(uuidsOf([...back, rewind('r2', 'u2', 'a1', 'a1')])).toEqual(['u1', 'u2', 'r1']);
  const undone = [
    ...back,
    { ...rewind('r1', 'u2', 'a2', 'a1'), isDone: true as const },
    rewind('r2', 'r1', 'a1', 'a2'),
  ];
  expect(uuidsOf(undone)).toEqual(['u1', 'u2', 'r1', 'r2']);
  expect(uuidsOf([...undone, user('u3', 'a2', 'third')])).toEqual(['u1', 'u2', 'r2', 'u3']);
});

test('undoing what undid a rewind is told without telling all that came before', () => {
  const records = [
    ...two,
    rewind('r1', 'u1', 'a2', null),
    rewind('r2', 'r1', null, 'a2'),
    rewind('r3', 'r2', 'a2', null),
  ];
  const texts = ['r2', 'r3'].map((uuid) => findCheckpoint(records, uuid)?.text);
  expect(texts).toEqual(['before a rewind was undone', 'before a rewind was undone']);
});

test('a prompt that was gone back behind can still be gone back to', () => {
  const records = [...two, rewind('r1', 'u1', 'a2', null), user('u3', null, 'other')];
  expect(findCheckpoint(records, 'u2')).toMatchObject({ head: 'a1' });
});

test('a prompt from before a compaction is a checkpoint, its copy is not, and going back there works', () => {
  const copy: UserRecord = { ...user('k1', 's1', 'second'), copyOf: 'u2' };
  const records = [...two, boundary('a2', 's1', ['k1']), summary('s1'), copy, assistant('a3', 'k1', 'C')];
  expect(readCheckpoints(records).map(({ uuid }) => uuid)).toEqual(['u1', 'u2']);
  expect(findCheckpoint(records, 'k1')).toMatchObject({ uuid: 'u2', head: 'a1' });
  expect(messagesOf([...records, rewind('r1', 'u2', 'a3', 'a1')])).toEqual(['u1', 'a1']);
});

test('what is no prompt is no checkpoint', () => {
  const records = [...two.slice(0, 1), assistant('a1', 'u1', [call('c1')]), user('t1', 'a1', [result('c1')])];
  expect(findCheckpoint(records, 't1')).toBeUndefined();
  expect(findCheckpoint(records, 'nobody')).toBeUndefined();
});

test('a rewind whose head is damaged is reported, and all messages stay', () => {
  const found = restoreConversation(
    loadedWith([...two, rewind('r1', 'u1', 'a2', 'gone')]),
    manualClock(),
    countedIds(),
  );
  expect(found.messages).toHaveLength(4);
  expect(found.broken).toEqual(['a rewind points to message gone, which is missing']);
});

function task(runId: string, toolUseId: string): TaskRecord {
  return {
    type: 'task-state',
    timestamp,
    task: {
      ...{
        id: `b${runId}`,
        runId,
        kind: 'local_bash',
        status: 'completed',
        description: 'x',
        startedAt: timestamp,
      },
      ...{ outputFile: '/x', owner: null, isBackgrounded: true, toolUseId },
    },
    end: { status: 'completed', text: 'done' },
  };
}

test('an end that was told behind the point is to be told again; of a task begun behind it nobody hears', () => {
  const begun = [
    user('u1', null, 'go'),
    assistant('a1', 'u1', [call('c1')]),
    user('t1', 'a1', [result('c1')]),
  ];
  const told: UserRecord = {
    ...user('n1', 't1', 'ended'),
    origin: { kind: 'task-notification', runId: 'one' },
  };
  const more = [
    task('one', 'c1'),
    told,
    user('u2', 'n1', 'more'),
    assistant('a2', 'u2', [call('c2')]),
    task('two', 'c2'),
  ];
  const untoldOf = (records: Parameters<typeof loadedWith>[0]) =>
    restoreConversation(loadedWith(records), manualClock(), countedIds()).untold.map(
      (record) => record.task.runId,
    );
  expect(untoldOf([...begun, ...more])).toEqual(['two']);
  expect(untoldOf([...begun, ...more, rewind('r1', 'u2', 'a2', 't1')])).toEqual(['one']);
});
