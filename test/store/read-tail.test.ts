import { expect, test } from 'bun:test';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import type {
  MessageRecord,
  RewindRecord,
  TaskRecord,
  TranscriptRecord,
  UserRecord,
} from '../../src/protocol/record.ts';
import { conversationOf } from '../../src/store/conversation.ts';
import { readTail, type TailCursor, type TranscriptTail } from '../../src/store/read-tail.ts';
import { loadForResume } from '../../src/store/resume-read.ts';
import { createTranscript, loadTranscript } from '../../src/store/transcript.ts';
import { temporaryDirectory } from '../support/index.ts';
import { assistant, boundary, call, headerFor, mustHave, result, sessionId, summary, user } from './build.ts';

const timestamp = '2026-01-01T00:00:00.000Z';

function write(records: readonly TranscriptRecord[]): string {
  const path = join(temporaryDirectory().path, 'a.jsonl');
  const transcript = mustHave(createTranscript(path, headerFor()));
  for (const record of records) mustHave(transcript.append(record));
  transcript.close();
  return path;
}

/** `count` prompts with their answers. */
function turns(count: number, name: string, parent: string | null): MessageRecord[] {
  const records: MessageRecord[] = [];
  let last = parent;
  for (let turn = 0; turn < count; turn++) {
    records.push(user(`${name}u${turn}`, last, `ask ${turn} `.repeat(40)));
    records.push(assistant(`${name}a${turn}`, `${name}u${turn}`, `answer ${turn} `.repeat(40)));
    last = `${name}a${turn}`;
  }
  return records;
}

const rewind = (to: string, from: string, head: string | null): RewindRecord => ({
  ...{ type: 'rewind', uuid: 'r1', timestamp, sessionId, to, from, head, files: 0 },
});

const uuids = (records: readonly MessageRecord[]) => records.map(({ uuid }) => uuid);

test('P3: the last messages are read from the end, and no more of the file than they take', () => {
  const records = turns(2_000, '', null);
  const path = write(records);
  const tail = mustHave(readTail(path, { messages: 5 }));
  expect(uuids(tail.messages)).toEqual(uuids(records.slice(-5)));
  const size = readFileSync(path).length;
  expect(size - (tail.earlier?.offset ?? 0)).toBeLessThan(10_000);
});

test('what is before can be read on, page by page, to the first message', () => {
  const records = turns(20, '', null);
  const path = write(records);
  const pages: MessageRecord[][] = [];
  let from: TailCursor | undefined;
  do {
    const tail: TranscriptTail = mustHave(readTail(path, { messages: 7, ...(from ? { from } : {}) }));
    pages.unshift(tail.messages);
    from = tail.earlier;
  } while (from);
  expect(uuids(pages.flat())).toEqual(uuids(records));
  expect(pages).toHaveLength(6);
});

test('a compaction is read through: what a person saw before it is there, and nothing twice', () => {
  const before = turns(3, 'x', null);
  const copy: UserRecord = { ...user('k1', 's1', 'ask'), copyOf: 'xu2' };
  const after = turns(2, 'y', 'k1');
  const path = write([...before, boundary('xa2', 's1', ['k1']), summary('s1'), copy, ...after]);
  expect(uuids(mustHave(readTail(path, { messages: 100 })).messages)).toEqual(uuids([...before, ...after]));
});

test('what somebody went back behind is left out, also when nothing was said since', () => {
  const before = turns(3, 'x', null);
  const path = write([
    ...before,
    rewind('xu1', 'xa2', 'xa0'),
    { ...rewind('xu1', 'xa2', 'xa0'), isDone: true },
  ]);
  expect(uuids(mustHave(readTail(path, { messages: 100 })).messages)).toEqual(['xu0', 'xa0']);
  const more = write([...before, rewind('xu1', 'xa2', 'xa0'), ...turns(1, 'y', 'xa0')]);
  expect(uuids(mustHave(readTail(more, { messages: 100 })).messages)).toEqual(['xu0', 'xa0', 'yu0', 'ya0']);
  const empty = write([...before, rewind('xu0', 'xa2', null)]);
  expect(mustHave(readTail(empty, { messages: 100 }))).toEqual({ messages: [] });
});

test('a transcript that is not there is a failure that names it', () => {
  expect(readTail('/nowhere/a.jsonl', { messages: 1 })).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('/nowhere/a.jsonl') },
  });
});

function task(runId: string): TaskRecord {
  const view = { id: `b${runId}`, runId, kind: 'local_bash', status: 'completed', description: 'x' } as const;
  const more = { startedAt: timestamp, outputFile: '/x', owner: null, isBackgrounded: true };
  return {
    type: 'task-state',
    timestamp,
    task: { ...view, ...more },
    end: { status: 'completed', text: 'ok' },
  };
}

/** A conversation with everything that may be in one, compacted in the middle. */
function rich(): TranscriptRecord[] {
  const told: UserRecord = {
    ...user('n1', 'xa1', 'ended'),
    origin: { kind: 'task-notification', runId: 'one' },
  };
  return [
    { type: 'session-state', timestamp, model: 'm', permissionMode: 'default', cwd: '/project' },
    ...turns(2, 'x', null),
    task('one'),
    told,
    task('two'),
    { type: 'file-history', timestamp, toolUseId: 'c', path: '/project/a', before: null },
    { type: 'custom-title', customTitle: 'Mine', sessionId },
    boundary('n1', 's1', ['k1']),
    summary('s1'),
    { ...user('k1', 's1', 'kept ü😀'), copyOf: 'xu1' },
    assistant('b1', 'k1', [call('c1')]),
    user('t1', 'b1', [result('c1')]),
    assistant('b2', 't1', 'Done.'),
  ];
}

async function bothWays(path: string) {
  const whole = await loadTranscript(path);
  const short = await loadForResume(path, 0);
  const shown = (loaded: typeof whole) =>
    loaded.ok && conversationOf(loaded.value, manualClock(), countedIds());
  return { whole, short, wholeShown: shown(whole), shortShown: shown(short) };
}

test('P3: what resuming reads of a long transcript makes the same conversation as the whole of it', async () => {
  const { whole, short, wholeShown, shortShown } = await bothWays(write(rich()));
  expect(shortShown).toEqual(wholeShown);
  // And it did not read the messages from before the compaction, but for the one about a task.
  expect(mustHave(short).records).toHaveLength(mustHave(whole).records.length - 4);
});

test('SE1: cut at every byte a long transcript is gone on with as if it had been read whole', async () => {
  const path = write(rich());
  const bytes = readFileSync(path);
  for (let size = bytes.length; size > 0; size -= 7) {
    writeFileSync(path, bytes);
    truncateSync(path, size);
    const { wholeShown, shortShown } = await bothWays(path);
    expect(shortShown).toEqual(wholeShown);
  }
});

test('damage before the conversation is still reported with its line; nothing else is lost', async () => {
  const path = write(rich());
  const lines = readFileSync(path, 'utf8').split('\n');
  for (const ruined of ['\0'.repeat(20), '{"type":"user","mess', 'nonsense', '{"type":"user"']) {
    const changed = [...lines];
    changed[2] = ruined;
    writeFileSync(path, changed.join('\n'));
    const { whole, short, wholeShown, shortShown } = await bothWays(path);
    expect(shortShown).toEqual(wholeShown);
    expect(mustHave(short).damage).toEqual(mustHave(whole).damage);
  }
});

test('a rewind before or after a compaction makes the whole count', async () => {
  for (const at of [6, rich().length]) {
    const records = rich();
    records.splice(at, 0, rewind('xu1', 'n1', 'xa0'));
    const { wholeShown, shortShown } = await bothWays(write(records));
    expect(shortShown).toEqual(wholeShown);
  }
});

test('a newer format is refused also when it is long', async () => {
  const path = write(rich());
  writeFileSync(path, readFileSync(path, 'utf8').replace('"format":1', '"format":99'));
  expect(await loadForResume(path, 0)).toMatchObject({ ok: false });
});
