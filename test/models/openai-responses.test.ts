import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveModel } from '../../src/models/resolve.ts';
import type { Message, Model } from '../../src/protocol/index.ts';
import { type FakeProvider, failWith, fakeProvider, think } from '../../src/testing/index.ts';
import { respond } from '../../src/testing/turns.ts';
import { collect, continued, converse, failureOf, request } from './conversation.ts';
import { describeWire } from './wire-suite.ts';
import { chunksAsFetch, modelOver, wireNamed } from './wires.ts';

describeWire(modelAt, '],"max_output_tokens":');

test('nothing is stored, thinking comes sealed, tools are not strict', async () => {
  await using provider = await fakeProvider({ script: ['ok'] });
  await collect(modelAt(provider), request());
  expect(provider.requests[0]).toMatchObject({
    path: '/v1/responses',
    headers: { authorization: 'Bearer test-key' },
  });
  expect(provider.requests[0]?.json).toMatchObject({
    model: 'gpt-5.5',
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { summary: 'auto' },
    max_output_tokens: 4_000,
    tools: [{ type: 'function', name: 'Read', strict: false }, { name: 'Bash' }],
  });
});

test('thinking is turned off where the model can', async () => {
  await using provider = await fakeProvider({ script: ['ok', 'ok'] });
  await collect(modelAt(provider), { ...request(), thinking: { type: 'off' } });
  await collect(modelAt(provider, 'o3'), { ...request(), thinking: { type: 'off' } });
  expect(provider.requests.map(({ json }) => json?.reasoning)).toEqual([{ effort: 'none' }, undefined]);
});

test('thinking that was cut off before anything was said does not go back', async () => {
  const cut = { ...think('I wonder', 'seal-1'), stopReason: 'max_tokens' as const };
  await using provider = await fakeProvider({ script: [cut, 'ok'] });
  await converse(modelAt(provider), 2);
  provider.assertConsumed();
  expect(JSON.stringify(provider.requests[1]?.json)).not.toContain('seal-1');
});

test("another provider's thinking is left out", async () => {
  await using provider = await fakeProvider({ script: ['ok'] });
  const content: Message['content'] = [
    { type: 'thinking', thinking: 'a', signature: 'EqQBCkYIAhgC' },
    { type: 'thinking', thinking: 'b', signature: 'google:thinking:{"google":{"thoughtSignature":"x"}}' },
    { type: 'thinking', thinking: 'c' },
    { type: 'redacted_thinking', data: 'd' },
    { type: 'text', text: 'Said.' },
  ];
  await collect(modelAt(provider), continued(content));
  expect(provider.received[0]?.messages[1]?.content).toEqual([{ type: 'text', text: 'Said.' }]);
});

test('an account without summaries gets its answers, and is asked only once', async () => {
  const refusal = failWith({
    kind: 'invalid_request',
    message: 'must be verified: reasoning.summary',
    status: 400,
  });
  await using provider = await fakeProvider({ script: [refusal, 'one', 'two'] });
  await converse(modelAt(provider), 2);
  const asked = provider.requests.map(({ json }) => json?.reasoning);
  expect(asked).toEqual([{ summary: 'auto' }, undefined, undefined]);
});

test('a stream that ends without its last event is a failure', async () => {
  const body = sse({ type: 'response.created', response: created }, textAdded, textDelta);
  await using provider = await fakeProvider({ script: [streamed(body)] });
  const failure = failureOf(await collect(modelAt(provider), request()));
  expect(failure?.kind).toBe('network');
});

test('an error in mid-stream is told with its kind', async () => {
  const error = {
    type: 'error',
    sequence_number: 3,
    code: 'server_error',
    message: 'we fell over',
    param: null,
  };
  const body = sse({ type: 'response.created', response: created }, textAdded, textDelta, error);
  await using provider = await fakeProvider({ script: [streamed(body)] });
  const failure = failureOf(await collect(modelAt(provider), request()));
  expect(failure).toMatchObject({ kind: 'server', message: expect.stringContaining('we fell over') });
});

test('a summary of several parts and the phase of a text go back as they were', async () => {
  const summary = (index: number, delta: string) => [
    { type: 'response.reasoning_summary_part.added', item_id: 'rs_1', output_index: 0, summary_index: index },
    {
      type: 'response.reasoning_summary_text.delta',
      item_id: 'rs_1',
      output_index: 0,
      summary_index: index,
      delta,
    },
    { type: 'response.reasoning_summary_part.done', item_id: 'rs_1', output_index: 0, summary_index: index },
  ];
  const body = sse(
    { type: 'response.created', response: created },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'reasoning', id: 'rs_1', summary: [] },
    },
    ...summary(0, 'First.'),
    ...summary(1, 'Second.'),
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
    },
    textAdded,
    textDelta,
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: { type: 'message', id: 'msg_1', phase: 'commentary' },
    },
    { type: 'response.completed', response: { usage: null, incomplete_details: null } },
  );
  await using provider = await fakeProvider({ script: [streamed(body), 'ok'] });
  await converse(modelAt(provider), 2);
  expect(provider.requests[1]?.json?.input).toMatchObject([
    { role: 'developer' },
    { role: 'user' },
    {
      type: 'reasoning',
      id: 'rs_1',
      encrypted_content: 'sealed',
      summary: [
        { type: 'summary_text', text: 'First.' },
        { type: 'summary_text', text: 'Second.' },
      ],
    },
    { role: 'assistant', content: 'Well.', phase: 'commentary' },
    { role: 'user' },
  ]);
});

test('a server with another address speaks Chat Completions as before', async () => {
  await using provider = await fakeProvider({ script: ['ok'] });
  const env = { OPENAI_BASE_URL: provider.url };
  const model = resolveModel('openai/gpt-5', { env, keys: memoryKeyStore(), clock: systemClock });
  if (!model.ok) throw new Error(model.problem.message);
  await collect(model.value, request());
  expect(provider.requests[0]?.path).toBe('/v1/chat/completions');
});

const created = { id: 'resp_1', created_at: 0, model: 'gpt-5.5' };
const textAdded = {
  type: 'response.output_item.added',
  output_index: 1,
  item: { type: 'message', id: 'msg_1', phase: 'commentary' },
};
const textDelta = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, delta: 'Well.' };

function sse(...events: object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

function streamed(body: string) {
  return respond({ headers: { 'content-type': 'text/event-stream' }, body });
}

/** The real address, led to the fake provider on the way. */
function modelAt(provider: FakeProvider, id = 'gpt-5.5'): Model {
  const fetch = (url: string | URL | Request, init?: RequestInit) =>
    globalThis.fetch(String(url).replace('https://api.openai.com', provider.url), init);
  const env = { OPENAI_API_KEY: 'test-key' };
  const model = resolveModel(`openai/${id}`, { env, keys: memoryKeyStore(), clock: systemClock, fetch });
  if (!model.ok) throw new Error(model.problem.message);
  return model.value;
}

/** Items of tools that the provider runs itself, as its API documents them; a gateway may add such tools. */
const hostedItems = [
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'bun' } },
  { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['bun'], results: null },
  {
    type: 'code_interpreter_call',
    id: 'ci_1',
    status: 'completed',
    code: 'print(1)',
    container_id: 'c_1',
    outputs: [{ type: 'logs', logs: '1' }],
  },
  { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aGk=' },
  { type: 'mcp_list_tools', id: 'ml_1', server_label: 's', tools: [] },
  {
    type: 'mcp_call',
    id: 'mc_1',
    server_label: 's',
    name: 'ask',
    arguments: '{}',
    output: 'ok',
    status: 'completed',
  },
];

test('tools that the provider runs itself are not calls for us: the answer is whole without them', async () => {
  for (const item of hostedItems) {
    const message = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Found it.', annotations: [] }],
    };
    const envelope = { id: 'resp_1', object: 'response', created_at: 0, model: 'gpt-5.2' };
    const usage = { input_tokens: 9, output_tokens: 3, total_tokens: 12 };
    const events = [
      { type: 'response.created', response: { ...envelope, status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.output_item.added', output_index: 1, item: { ...message, content: [] } },
      {
        type: 'response.output_text.delta',
        output_index: 1,
        item_id: 'msg_1',
        content_index: 0,
        delta: 'Found it.',
      },
      { type: 'response.output_item.done', output_index: 1, item: message },
      { type: 'response.completed', response: { ...envelope, status: 'completed', output: [], usage } },
    ];
    const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    const received = await collect(
      modelOver(wireNamed('responses'), chunksAsFetch([Buffer.from(body)])),
      request(),
    );
    expect([item.type, received.at(-1)]).toMatchObject([
      item.type,
      {
        type: 'response_ended',
        message: { content: [{ type: 'text', text: 'Found it.' }], stop_reason: 'end_turn' },
      },
    ]);
  }
});
