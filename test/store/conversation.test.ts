import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import type { MessageRecord, TranscriptRecord } from '../../src/protocol/record.ts';
import {
  interruptedResult,
  notBegunResult,
  repeatableResult,
  restoreConversation,
} from '../../src/store/conversation.ts';
import { createTranscript, type LoadedTranscript } from '../../src/store/transcript.ts';
import { temporaryDirectory } from '../support/index.ts';
import {
  assistant,
  boundary,
  call,
  conversation,
  headerFor,
  load,
  loadedWith,
  mustHave,
  result,
  summary,
  user,
} from './build.ts';

const open = (records: readonly LoadedTranscript['records'][number][]) =>
  restoreConversation(loadedWith([...records]), manualClock(1000), countedIds());
const uuids = (records: readonly MessageRecord[]) => records.map((record) => record.uuid);
const unknownResult = (id: string) => ({ ...result(id, interruptedResult), is_error: true });

test('a whole conversation comes back as it is', () => {
  const opened = open(conversation);
  expect(opened).toEqual({
    messages: conversation,
    said: conversation,
    interrupted: [],
    notBegun: [],
    lost: [],
    untold: [],
    tasks: [],
    agents: [],
    repairs: [],
    broken: [],
  });
});

test('the branch of the last message is followed, others are left out', () => {
  const records = [...conversation, assistant('a3', 'u2', 'Another way.'), user('u5', 'a3', 'go on')];
  expect(uuids(open(records).messages)).toEqual(['u1', 'a1', 'u2', 'a3', 'u5']);
});

test('SE1: a call without a result is answered as interrupted, and the answer can be appended', () => {
  const opened = open(conversation.slice(0, 2));
  expect(opened.interrupted).toEqual([call('c1'), call('c2')]);
  expect(opened.repairs).toEqual([
    {
      type: 'user',
      uuid: '00000000-0000-4000-8000-000000000001',
      parentUuid: 'a1',
      sessionId: conversation[0]?.sessionId ?? '',
      timestamp: '1970-01-01T00:00:01.000Z',
      isSidechain: false,
      message: { role: 'user', content: [unknownResult('c1'), unknownResult('c2')] },
      origin: { kind: 'harness' },
    },
  ]);
  expect(opened.messages).toEqual([...conversation.slice(0, 2), ...opened.repairs]);
});

test('SE1: of parallel calls only those without a result are answered', () => {
  const opened = open([...conversation.slice(0, 2), user('u2', 'a1', [result('c1')])]);
  expect(opened.interrupted).toEqual([call('c2')]);
  expect(opened.repairs.map((record) => record.message.content)).toEqual([[unknownResult('c2')]]);
  expect(opened.repairs[0]?.parentUuid).toBe('u2');
});

test('results in records of their own are all taken', () => {
  const records = [
    ...conversation.slice(0, 2),
    user('r1', 'a1', [result('c1')]),
    user('r2', 'r1', [result('c2')]),
  ];
  expect(open(records)).toMatchObject({ messages: records, repairs: [], interrupted: [] });
});

test('SE1: after its repairs a conversation needs none', () => {
  const first = open(conversation.slice(0, 2));
  expect(open(first.messages)).toMatchObject({ messages: first.messages, repairs: [], interrupted: [] });
});

test('a call that was talked over is answered before what was said', () => {
  const records = [...conversation.slice(0, 2), user('u9', 'a1', 'still there?')];
  const opened = open(records);
  expect(opened.messages.map((record) => record.message.content.map((block) => block.type))).toEqual([
    ['text'],
    ['text', 'tool_use', 'tool_use'],
    ['tool_result', 'tool_result'],
    ['text'],
  ]);
  expect(opened.repairs).toEqual([]);
});

test('a broken link is told and the message before it in the file is taken', () => {
  const opened = open(conversation.filter((record) => record.uuid !== 'a2'));
  expect(uuids(opened.messages)).toEqual(['u1', 'a1', 'u2', 'u3']);
  expect(opened.broken).toEqual(['message u3 follows a2, which is missing']);
});

test('when the message that called is lost its results are left out', () => {
  const opened = open(conversation.filter((record) => record.uuid !== 'a1'));
  expect(uuids(opened.messages)).toEqual(['u1', 'a2', 'u3']);
  expect(opened.broken).toHaveLength(3);
});

test('when the results are lost the calls count as interrupted, in their place', () => {
  const opened = open(conversation.filter((record) => record.uuid !== 'u2'));
  expect(opened.messages.map((record) => record.type)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
  ]);
  expect(opened.interrupted).toHaveLength(2);
  expect(opened.repairs).toEqual([]);
});

test('a second result of one call is left out', () => {
  const opened = open([
    ...conversation.slice(0, 3),
    user('u9', 'u2', [result('c1', 'again'), { type: 'text', text: 'x' }]),
  ]);
  expect(opened.messages.at(-1)?.message.content).toEqual([{ type: 'text', text: 'x' }]);
});

test('a link that leads forward or to itself does not go round in circles', () => {
  const opened = open([user('u1', 'u2', 'a'), user('u2', 'u2', 'b')]);
  expect(uuids(opened.messages)).toEqual(['u2', 'u1']);
  expect(opened.broken).toHaveLength(2);
});

test('the last state and the last title count', () => {
  const state = {
    type: 'session-state' as const,
    timestamp: '',
    model: 'one',
    permissionMode: 'default' as const,
    cwd: '/',
  };
  const title = { type: 'custom-title' as const, customTitle: 'First', sessionId: 's' };
  const loaded = loadedWith(conversation);
  loaded.records.push(state, title, { ...state, model: 'two' }, { ...title, customTitle: 'Second' });
  expect(restoreConversation(loaded, manualClock(), countedIds())).toMatchObject({
    state: { model: 'two' },
    title: 'Second',
  });
});

test('an empty transcript is an empty conversation', () => {
  expect(open([])).toEqual({
    messages: [],
    said: [],
    interrupted: [],
    notBegun: [],
    lost: [],
    untold: [],
    tasks: [],
    agents: [],
    repairs: [],
    broken: [],
  });
});

/** The last call of the conversation and its results stay behind the summary. */
const compacted = [
  ...conversation.slice(0, 3),
  boundary('u2', 's1', ['k1', 'k2']),
  summary('s1'),
  { ...assistant('k1', 's1', [call('c1'), call('c2')]), copyOf: 'a1' },
  { ...user('k2', 'k1', [result('c1'), result('c2')]), copyOf: 'u2' },
  assistant('a2', 'k2', 'Mended.'),
];

test('a conversation begins at its last compaction', () => {
  expect(open(compacted)).toMatchObject({ messages: compacted.slice(4), repairs: [], broken: [] });
});

test('a second compaction counts before the first', () => {
  const records = [...compacted, boundary('a2', 's2', []), summary('s2'), user('u9', 's2', 'go on')];
  expect(uuids(open(records).messages)).toEqual(['s2', 'u9']);
});

test.each([4, 5, 6])('SE1: a compaction that was cut off after %d records has not happened', (count) => {
  const opened = open(compacted.slice(0, count));
  expect(opened).toMatchObject({ messages: conversation.slice(0, 3), repairs: [], broken: [] });
});

test.each([1, 2, 3])(
  'SE1: two compactions that were cut off, the second after %d records, have not happened',
  (count) => {
    const again = [
      boundary('u2', 's2', ['k3', 'k4']),
      summary('s2'),
      { ...assistant('k3', 's2', [call('c1'), call('c2')]), copyOf: 'a1' },
    ];
    const opened = open([...compacted.slice(0, 6), ...again.slice(0, count)]);
    expect(opened).toMatchObject({ messages: conversation.slice(0, 3), repairs: [], broken: [] });
  },
);

test('a conversation that went on after a cut compaction stays the one before it', () => {
  const records = [...compacted.slice(0, 6), user('u9', 'u2', 'go on')];
  expect(uuids(open(records).messages)).toEqual(['u1', 'a1', 'u2', 'u9']);
});

test('a damaged boundary changes nothing: the chain tells where the conversation begins', () => {
  const records = compacted.filter((record) => record.type !== 'compact-boundary');
  expect(open(records).messages).toEqual(compacted.slice(4) as MessageRecord[]);
});

test('a boundary and a summary are read back, and ones without their fields are damage', async () => {
  const path = join(temporaryDirectory().path, 't.jsonl');
  const transcript = mustHave(createTranscript(path, headerFor()));
  for (const record of compacted) mustHave(transcript.append(record));
  const { keptUuids: _, ...withoutKept } = boundary('u2', 's1', []);
  transcript.append(withoutKept as unknown as TranscriptRecord);
  transcript.append({ ...summary('s3'), origin: { kind: 'compaction' } } as unknown as TranscriptRecord);
  transcript.close();
  const loaded = await load(path);
  expect(loaded.records).toEqual(compacted);
  expect(loaded.damage.map(({ reason }) => reason)).toEqual([
    'a record of type compact-boundary with a missing or invalid keptUuids',
    'a record of type user with a missing or invalid origin',
  ]);
});

test('SE1 a call that was recorded as begun has an unknown result; one that was not can be called again', () => {
  const epoch = 1;
  const records: LoadedTranscript['records'] = [
    { ...user('u', null, 'Go'), epoch },
    { ...assistant('a', 'u', [call('c1'), call('c2'), call('c3')]), epoch },
    { type: 'call-begun', toolUseId: 'c1', effect: 'unsafe' },
    { type: 'call-begun', toolUseId: 'c2', effect: 'repeatable' },
  ];
  const opened = open(records);
  expect(opened.repairs[0]?.message.content).toEqual([
    unknownResult('c1'),
    { ...result('c2', repeatableResult), is_error: true },
    { ...result('c3', notBegunResult), is_error: true },
  ]);
  expect(opened.interrupted).toEqual([call('c1'), call('c2')]);
  expect(opened.notBegun).toEqual([call('c3')]);
});
