import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveModel } from '../../src/models/resolve.ts';
import type { Model } from '../../src/protocol/index.ts';
import { type FakeProvider, fakeProvider } from '../../src/testing/index.ts';
import { respond } from '../../src/testing/turns.ts';
import { collect, continued, converse, failureOf, messageOf, request } from './conversation.ts';
import { describeWire } from './wire-suite.ts';

describeWire(modelAt, '],"systemInstruction":');

describe('signatures', () => {
  test('of a call and of a text go back where they were', async () => {
    const parts = [
      { text: 'I look.', thought: true },
      { text: 'Looking' },
      { text: '.', thoughtSignature: 'of-text' },
      { functionCall: { id: 'c1', name: 'Read', args: { file_path: '/a' } }, thoughtSignature: 'of-call' },
      { functionCall: { id: 'c2', name: 'Read', args: {} } },
    ];
    await using provider = await fakeProvider({ script: [streamed(parts), 'ok'] });
    const messages = await converse(modelAt(provider), 2);
    expect(messages[1]?.content.map(({ type }) => type)).toEqual([
      'thinking',
      'text',
      'thinking',
      'thinking',
      'tool_use',
      'tool_use',
    ]);
    expect(contentsOf(provider)?.[1]).toEqual({
      role: 'model',
      parts: [
        { text: 'Looking.', thoughtSignature: 'of-text' },
        { functionCall: { id: 'c1', name: 'Read', args: { file_path: '/a' } }, thoughtSignature: 'of-call' },
        { functionCall: { id: 'c2', name: 'Read', args: {} } },
      ],
    });
    provider.assertConsumed();
  });

  test('behind the last word, without a text of their own, go back all the same', async () => {
    const parts = [
      { text: 'Hm.', thought: true },
      { text: '', thoughtSignature: 'of-nothing' },
    ];
    await using provider = await fakeProvider({ script: [streamed(parts), 'ok'] });
    await converse(modelAt(provider), 2);
    expect(contentsOf(provider)?.[1]).toEqual({
      role: 'model',
      parts: [{ text: '', thoughtSignature: 'of-nothing' }],
    });
  });

  test('a call that another model made is told to have none, and loses nothing', async () => {
    await using provider = await fakeProvider({ script: ['ok'] });
    const asked = continued([
      { type: 'thinking', thinking: 'a', signature: 'EqQBCkYIAhgC' },
      { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '/a' } },
    ]);
    expect(messageOf(await collect(modelAt(provider), asked)).content).toEqual([
      { type: 'text', text: 'ok' },
    ]);
    expect(contentsOf(provider, 0)?.[1]?.parts).toEqual([
      {
        functionCall: { id: 'toolu_1', name: 'Read', args: { file_path: '/a' } },
        thoughtSignature: 'skip_thought_signature_validator',
      },
    ]);
  });
});

test('thinking: asked for, with a budget, or off, as far as the model can', async () => {
  await using provider = await fakeProvider({ script: ['ok', 'ok', 'ok', 'ok'] });
  const pro = modelAt(provider);
  const flash = modelAt(provider, 'gemini-2.5-flash');
  await collect(pro, request());
  await collect(pro, { ...request(), thinking: { type: 'off' } });
  await collect(flash, { ...request(), thinking: { type: 'off' } });
  await collect(flash, { ...request(), thinking: { type: 'budget', tokens: 2_000 } });
  expect(
    provider.requests.map(({ json }) => (json?.generationConfig as Config | undefined)?.thinkingConfig),
  ).toEqual([
    { includeThoughts: true },
    undefined,
    { thinkingBudget: 0 },
    { includeThoughts: true, thinkingBudget: 2_000 },
  ]);
});

describe('failures', () => {
  const refused: [name: string, status: number, error: object, kind: string][] = [
    ['a bad key', 400, { message: 'API key not valid. Please pass a valid API key.' }, 'authentication'],
    [
      'a conversation that is too long',
      400,
      { message: 'The input token count (1195) exceeds the maximum number of tokens allowed (1000).' },
      'context_overflow',
    ],
    ['no such model', 404, { message: 'models/x is not found for API version v1beta' }, 'model_not_found'],
  ];
  for (const [name, status, error, kind] of refused) {
    test(name, async () => {
      const body = JSON.stringify({ error: { code: status, status: 'INVALID_ARGUMENT', ...error } });
      const script = [respond({ status, headers: { 'content-type': 'application/json' }, body })];
      await using provider = await fakeProvider({ script });
      expect(failureOf(await collect(modelAt(provider), request()))?.kind).toBe(kind as 'billing');
    });
  }

  test('the time to wait is read from the body', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }];
    const error = { code: 429, message: 'quota', status: 'RESOURCE_EXHAUSTED', details };
    const script = [respond({ status: 429, body: JSON.stringify({ error }) })];
    await using provider = await fakeProvider({ script });
    const failure = failureOf(await collect(modelAt(provider), request()));
    expect(failure).toMatchObject({ kind: 'rate_limited', status: 429, retryAfterMs: 34_400 });
  });

  test('an answer without its last word is none', async () => {
    const body = `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text: 'half' }] } }] })}\n\n`;
    const script = [respond({ headers: { 'content-type': 'text/event-stream' }, body })];
    await using provider = await fakeProvider({ script });
    expect(failureOf(await collect(modelAt(provider), request()))?.kind).toBe('network');
  });
});

test('the key goes in its own header, and never into the address', async () => {
  await using provider = await fakeProvider({ script: ['ok'] });
  await collect(modelAt(provider), request());
  expect(provider.requests[0]?.headers['x-goog-api-key']).toBe('test-key');
  expect(provider.requests[0]?.path).toBe(
    '/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse',
  );
});

interface Config {
  thinkingConfig?: object;
}

function contentsOf(provider: FakeProvider, index = 1) {
  return provider.requests[index]?.json?.contents as { role: string; parts: object[] }[] | undefined;
}

function streamed(parts: object[]) {
  const chunks = parts.map((part) => ({ candidates: [{ content: { role: 'model', parts: [part] } }] }));
  const end = { candidates: [{ content: { parts: [] }, finishReason: 'STOP' }], responseId: 'r1' };
  const body = [...chunks, end].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
  return respond({ headers: { 'content-type': 'text/event-stream' }, body });
}

function modelAt(provider: FakeProvider, id = 'gemini-3-pro-preview'): Model {
  const env = { GOOGLE_BASE_URL: provider.url, GEMINI_API_KEY: 'test-key' };
  const model = resolveModel(id, { env, keys: memoryKeyStore(), clock: systemClock });
  if (!model.ok) throw new Error(model.problem.message);
  return model.value;
}
