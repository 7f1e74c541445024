import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveModel } from '../../src/models/resolve.ts';
import type { EffortLevel } from '../../src/protocol/effort.ts';
import type { Message, ModelRequest, Thinking } from '../../src/protocol/index.ts';

const read = { name: 'Read', description: 'Reads.', inputSchema: { type: 'object' } };

test('thinking: adaptive where the model can, else half of the output as its budget, within max_tokens', async () => {
  expect(await thinkingSent('claude-sonnet-4-6', { type: 'adaptive' })).toEqual([
    { type: 'adaptive' },
    10_000,
  ]);
  expect(await thinkingSent('claude-sonnet-4-5', { type: 'adaptive' })).toEqual([
    { type: 'enabled', budget_tokens: 5_000 },
    10_000,
  ]);
});

test('thinking: a budget is kept below the limit of the whole answer', async () => {
  expect(await thinkingSent('claude-sonnet-4-5', { type: 'budget', tokens: 50_000 })).toEqual([
    { type: 'enabled', budget_tokens: 8_976 },
    10_000,
  ]);
});

test('thinking: off is said to models that think by themselves, and to no others', async () => {
  expect(await thinkingSent('claude-sonnet-5', { type: 'off' })).toEqual([{ type: 'disabled' }, 10_000]);
  expect(await thinkingSent('claude-3-haiku-20240307', { type: 'off' }, 4_000)).toEqual([undefined, 4_000]);
});

test('effort: models that take it get it as output_config.effort', async () => {
  for (const id of [
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-opus-5',
    'claude-opus-4-8',
  ])
    for (const effort of ['low', 'medium', 'high'] as const)
      expect([id, await effortSent(id, effort)]).toEqual([id, { effort }]);
  expect(await effortSent('claude-opus-5-5', 'max')).toEqual({ effort: 'max' });
  expect(await effortSent('claude-opus-5-5', 'xhigh')).toEqual({ effort: 'xhigh' });
});

test('effort: a level that a model lacks becomes the next lower one, and nothing is sent to models without levels', async () => {
  expect(await effortSent('claude-sonnet-4-6', 'xhigh')).toEqual({ effort: 'high' });
  expect(await effortSent('claude-opus-4-5', 'max')).toEqual({ effort: 'high' });
  expect(await effortSent('claude-sonnet-4-5', 'high')).toBeUndefined();
  expect(await effortSent('claude-3-haiku-20240307', 'high')).toBeUndefined();
  expect(await effortSent('claude-opus-5-5', undefined)).toBeUndefined();
});

test('thinking: models that refuse a budget are never sent one', async () => {
  for (const id of [
    'claude-opus-4-7',
    'claude-opus-4-8',
    'claude-sonnet-5',
    'claude-opus-5',
    'claude-haiku-5-5',
  ])
    expect([id, ...(await thinkingSent(id, { type: 'budget', tokens: 5_000 }))]).toEqual([
      id,
      { type: 'adaptive' },
      10_000,
    ]);
});

test("effort: OpenAI's models get it as reasoning.effort, also when thinking is off", async () => {
  const sent = async (id: string, effort: EffortLevel) =>
    ((await bodyOf(id, { OPENAI_API_KEY: 'k' }, { effort })).reasoning as { effort?: string } | undefined)
      ?.effort;
  expect(await sent('openai/gpt-5', 'high')).toBe('high');
  expect(await sent('openai/gpt-5.5', 'low')).toBe('low');
  expect(await sent('openai/gpt-5', 'max')).toBe('high');
  expect(await sent('openai/gpt-4.1', 'high')).toBeUndefined();
});

test('effort: Gemini 3 gets it as a level of thinking, 2.5 does not', async () => {
  const sent = async (id: string, effort: EffortLevel) => {
    const body = await bodyOf(id, { GEMINI_API_KEY: 'k' }, { effort, thinking: { type: 'adaptive' } });
    return (body.generationConfig as { thinkingConfig?: { thinkingLevel?: string } }).thinkingConfig
      ?.thinkingLevel;
  };
  expect(await sent('google/gemini-3-pro-preview', 'low')).toBe('low');
  expect(await sent('google/gemini-3-pro-preview', 'max')).toBe('high');
  expect(await sent('google/gemini-2.5-pro', 'high')).toBeUndefined();
});

test('tools are sent as they are described, without extras of the library', async () => {
  const body = await bodyOf('claude-sonnet-4-5', { ANTHROPIC_API_KEY: 'k' });
  expect(body.tools).toEqual([
    {
      name: 'Read',
      description: 'Reads.',
      input_schema: { type: 'object' },
      cache_control: { type: 'ephemeral' },
    },
  ]);
});

test("OpenAI's own API gets max_output_tokens, other servers max_tokens", async () => {
  const itself = await bodyOf('openai/gpt-5', { OPENAI_API_KEY: 'k' });
  expect([itself.max_output_tokens, itself.max_tokens]).toEqual([10_000, undefined]);
  const other = await bodyOf('openai/gpt-5', { OPENAI_BASE_URL: 'http://localhost:1/v1' });
  expect([other.max_output_tokens, other.max_tokens]).toEqual([undefined, 10_000]);
});

test("another provider's thinking is left out, and what is left empty with it", async () => {
  const base = { role: 'assistant' as const, id: '', model: '', stop_reason: 'end_turn' as const, usage };
  const signed: Message = { ...base, content: [{ type: 'thinking', thinking: 'a', signature: 's' }] };
  const unsigned: Message = {
    ...base,
    content: [
      { type: 'thinking', thinking: 'b' },
      { type: 'text', text: 'c' },
    ],
  };
  const messages = [said('1'), signed, said('2'), unsigned, said('3')];
  const anthropic = await bodyOf('claude-sonnet-4-5', { ANTHROPIC_API_KEY: 'k' }, { messages });
  expect(JSON.stringify(anthropic.messages)).not.toContain('"b"');
  const openai = await bodyOf('openai/x', { OPENAI_BASE_URL: 'http://localhost:1/v1' }, { messages });
  expect(openai.messages).toEqual([
    { role: 'system', content: 'S' },
    { role: 'user', content: '1' },
    { role: 'user', content: '2' },
    { role: 'assistant', content: 'c', reasoning_content: 'b' },
    { role: 'user', content: '3' },
  ]);
});

test('thinking that is sealed for another provider does not go to Anthropic', async () => {
  const base = { role: 'assistant' as const, id: '', model: '', stop_reason: 'end_turn' as const, usage };
  const signature = 'openai:thinking:{"openai":{"itemId":"rs_1","reasoningEncryptedContent":"x"}}';
  const content = [
    { type: 'thinking' as const, thinking: 'a', signature },
    { type: 'text' as const, text: 'b' },
  ];
  const messages = [said('1'), { ...base, content }, said('2')];
  const body = await bodyOf('claude-sonnet-4-5', { ANTHROPIC_API_KEY: 'k' }, { messages });
  expect(body.messages).toMatchObject([
    { role: 'user' },
    { content: [{ type: 'text', text: 'b' }] },
    { role: 'user' },
  ]);
});

/** A conversation with two calls of another provider, as Kimi names them, and a tool that nobody has. */
function calledElsewhere(ids: readonly string[], name = 'Read'): Message[] {
  const base = { role: 'assistant' as const, id: '', model: '', stop_reason: 'tool_use' as const, usage };
  const content = ids.map((id) => ({ type: 'tool_use' as const, id, name, input: {} }));
  const results = ids.map((id) => ({
    ...{ type: 'tool_result' as const, tool_use_id: id },
    content: [{ type: 'text' as const, text: id }],
  }));
  return [said('1'), { ...base, content }, { role: 'user', content: results }];
}

test.each([
  ['anthropic', ['functions.Read:0', 'functions.Read_0', 'a b/✓', 'toolu_1']],
  ['openai', ['i'.repeat(70), `${'i'.repeat(69)}j`, 'call_1']],
])('ids of calls that another provider made are sent as %s takes them', async (provider, ids) => {
  const messages = calledElsewhere(ids);
  const [name, key] = provider === 'openai' ? ['gpt-5.5', 'OPENAI_API_KEY'] : ['sonnet', 'ANTHROPIC_API_KEY'];
  const text = JSON.stringify(await bodyOf(name, { [key]: 'k' }, { messages }));
  const sent = [...text.matchAll(/"(?:id|tool_use_id|call_id)":"([^"]*)"/g)].map(([, id]) => id);
  const [calls, results] = [sent.slice(0, ids.length), sent.slice(ids.length)];
  expect(results).toEqual(calls);
  expect(new Set(calls).size).toBe(ids.length);
  for (const id of calls) expect(id).toMatch(/^[\w-]{1,64}$/);
  expect(calls.at(-1)).toBe(ids.at(-1));
});

test.each([
  ['sonnet', { ANTHROPIC_API_KEY: 'k' }],
  ['gpt-5.5', { OPENAI_API_KEY: 'k' }],
  ['openai/x', { OPENAI_BASE_URL: 'http://localhost:1/v1' }],
])('the name of a tool that nobody has goes back to %s in a form that it takes', async (model, env) => {
  const text = JSON.stringify(await bodyOf(model, env, { messages: calledElsewhere(['a'], 'no such.tool') }));
  expect(text).not.toContain('no such.tool');
  expect(text).toContain('no_such_tool');
});

const usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

function said(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

async function thinkingSent(id: string, thinking: Thinking, maxOutputTokens = 10_000): Promise<unknown[]> {
  const body = await bodyOf(id, { ANTHROPIC_API_KEY: 'k' }, { thinking, maxOutputTokens });
  return [body.thinking, body.max_tokens];
}

async function effortSent(id: string, effort: EffortLevel | undefined): Promise<unknown> {
  const parts = { effort, thinking: { type: 'adaptive' as const } };
  return (await bodyOf(id, { ANTHROPIC_API_KEY: 'k' }, parts)).output_config;
}

/** The body of the one request, caught on its way to the network. */
async function bodyOf(
  name: string,
  env: Record<string, string>,
  parts: Partial<ModelRequest> = {},
): Promise<Record<string, unknown>> {
  let body = '';
  const fetch = async (_: unknown, init?: RequestInit) => {
    body = String(init?.body);
    return new Response('{}', { status: 500 });
  };
  const model = resolveModel(name, { env, keys: memoryKeyStore(), clock: systemClock, fetch });
  if (!model.ok) throw new Error(model.problem.message);
  const request: ModelRequest = {
    system: ['S'],
    tools: [read],
    messages: [said('x')],
    maxOutputTokens: 10_000,
    thinking: { type: 'off' },
    ...parts,
  };
  for await (const event of model.value.stream(request, new AbortController().signal)) void event;
  return JSON.parse(body);
}
