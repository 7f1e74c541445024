import { expect, test } from 'bun:test';
import { AnthropicAnswer } from '../../src/models/anthropic/answer.ts';

const start = {
  type: 'message_start',
  message: {
    id: 'm',
    model: 'claude',
    usage: { input_tokens: 3, cache_read_input_tokens: 9, output_tokens: 1 },
  },
};
const call = (json: string[], index = 0) => [
  {
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id: `t${index}`, name: 'Read', input: {} },
  },
  ...json.map((partial_json) => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json },
  })),
  { type: 'content_block_stop', index },
];
const end = (stop_reason: string) => [
  { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 20 } },
  { type: 'message_stop' },
];

const deep = `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`;

function play(events: object[]) {
  const answer = new AnthropicAnswer('claude');
  const out = events.flatMap((event) => answer.take(event as Record<string, unknown>));
  return { answer, out, last: out.at(-1) };
}

test('counts are running totals: the newest of each counts', () => {
  const { last } = play([start, ...call(['{"a":', '1}']), ...end('tool_use')]);
  expect(last).toMatchObject({
    type: 'response_ended',
    message: {
      usage: { input_tokens: 3, cache_read_input_tokens: 9, output_tokens: 20 },
      content: [{ input: { a: 1 } }],
    },
  });
});

test('a call without input is an empty call', () => {
  const { last } = play([start, ...call([]), ...call(['{}'], 1), ...end('tool_use')]);
  expect(last).toMatchObject({
    message: {
      content: [
        { id: 't0', input: {} },
        { id: 't1', input: {} },
      ],
    },
  });
});

test('R12 a call whose input is no whole object comes out as invalid, with nothing to run', () => {
  for (const json of ['{"a":', '[1]', '3', 'null', '{"a":1}}', deep]) {
    const { last } = play([start, ...call([json]), ...end('tool_use')]);
    const block = { type: 'tool_use', input: {}, invalidInput: json.slice(0, 2_000) };
    expect(last).toMatchObject({ type: 'response_ended', message: { content: [block] } });
  }
});

test('R12 an invalid call at the end of a cut-off answer is dropped', () => {
  const { last, out } = play([start, ...call(['{"a":']), ...end('max_tokens')]);
  expect(last).toMatchObject({ message: { content: [], stop_reason: 'max_tokens' } });
  expect(out.some((event) => event.type === 'block_ended')).toBe(false);
});

test('two calls with one id are two calls, each with its own', () => {
  const second = call(['{"b":2}'], 1).map((event) =>
    'content_block' in event
      ? { ...event, content_block: { type: 'tool_use', id: 't0', name: 'Read' } }
      : event,
  );
  const { last } = play([start, ...call(['{"a":1}']), ...second, ...end('tool_use')]);
  expect(last).toMatchObject({
    message: {
      content: [
        { id: 't0', input: { a: 1 } },
        { id: 't0_2', input: { b: 2 } },
      ],
    },
  });
});

test('blocks that were not asked for are passed over, and the numbers of the others stay close', () => {
  const foreign = {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'server_tool_use', id: 'x' },
  };
  const stop = { type: 'content_block_stop', index: 0 };
  const { last } = play([start, foreign, stop, ...call(['{}'], 1), ...end('tool_use')]);
  expect(last).toMatchObject({ message: { content: [{ type: 'tool_use', id: 't1' }] } });
});

test.each([
  ['begins twice', [start, { type: 'message_start', message: { id: 'another' } }]],
  ['ends without a reason', [start, { type: 'message_stop' }]],
  ['ends before it began', end('end_turn')],
  ['begins a block before itself', call(['{}'])],
  ['begins a block twice', [start, ...call(['{}']).slice(0, 1), ...call(['{}'])]],
  ['goes on with a block that has ended', [start, ...call(['{}']), ...call(['{}']).slice(1)]],
  ['goes on with a block that never began', [start, ...call(['{}']).slice(1)]],
  ['begins a block again that has ended', [start, ...call(['{}']), ...call(['{}'])]],
  ['calls a tool without a name', [start, { ...call([])[0], content_block: { type: 'tool_use', id: 't' } }]],
  [
    'puts text into a call',
    [
      start,
      ...call([]).slice(0, 1),
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } },
    ],
  ],
  ['leaves a block open', [start, ...call(['{}']).slice(0, -1), ...end('tool_use')]],
])('an answer that %s is a failure', (_, events) => {
  const { answer } = play(events);
  expect(answer.failure).toBeInstanceOf(Error);
  expect(answer.isEnded).toBe(false);
});

test('what a block ended with may be said twice', () => {
  const { last } = play([
    start,
    ...call(['{"a":1}']),
    { type: 'content_block_stop', index: 0 },
    ...end('tool_use'),
  ]);
  expect(last).toMatchObject({ type: 'response_ended', message: { content: [{ input: { a: 1 } }] } });
});

test('counts that are none are passed over', () => {
  const odd = {
    type: 'message_delta',
    delta: {},
    usage: { input_tokens: -1, output_tokens: Number.POSITIVE_INFINITY, cache_read_input_tokens: null },
  };
  const { last } = play([start, odd, ...end('end_turn')]);
  expect(last).toMatchObject({
    message: { usage: { input_tokens: 3, cache_read_input_tokens: 9, output_tokens: 20 } },
  });
});

test('what was counted is known from the first event on', () => {
  expect(play([]).answer.usage).toBeUndefined();
  expect(play([start]).answer.usage).toMatchObject({ input_tokens: 3, output_tokens: 1 });
});

test.each([
  ['text', { type: 'text_delta', text: 5 }],
  ['thinking', { type: 'thinking_delta', thinking: {} }],
  ['text', null],
  ['text', { text: 'no type' }],
])('a piece of %s that is not text fails the answer, so that it is asked for again: %j', (type, delta) => {
  const block = { type: 'content_block_start', index: 0, content_block: { type } };
  const { answer } = play([start, block, { type: 'content_block_delta', index: 0, delta }]);
  expect(String(answer.failure)).toContain('A piece of the answer is not text.');
});

test('a piece without content is an empty piece', () => {
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text' } };
  const piece = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: null } };
  expect(play([start, block, piece]).answer.failure).toBeUndefined();
});
