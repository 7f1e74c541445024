import { afterEach, describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { manualClock } from '../../src/lib/clock.ts';
import {
  call,
  expecting,
  type FakeProvider,
  failWith,
  fakeProvider,
  say,
  temporaryWorkspace,
} from '../../src/testing/index.ts';

let provider: FakeProvider | undefined;
afterEach(async () => {
  await provider?.close();
});

const user = (content: unknown) => ({ role: 'user', content });
const ask = { model: 'm', max_tokens: 100, messages: [user('hello')] };

describe('messages api', () => {
  test('streams an answer as server-sent events', async () => {
    provider = await fakeProvider({ script: [call('Read', { file_path: '/a' })] });
    const response = await post('/v1/messages', { ...ask, stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const names = [...(await response.text()).matchAll(/^event: (.*)$/gm)].map((match) => match[1]);
    expect(names).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    provider.assertConsumed();
  });

  test('answers whole without stream', async () => {
    provider = await fakeProvider({ script: ['hi'] });
    const answer = await (await post('/v1/messages', ask)).json();
    expect(answer).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
    });
  });

  test('keeps the raw bytes of every request with its time', async () => {
    provider = await fakeProvider({ script: ['hi'] });
    await post('/v1/messages', ask);
    expect(provider.requests[0]?.body.toString()).toBe(JSON.stringify(ask));
    expect(provider.requests[0]?.at).toBeLessThanOrEqual(provider.requests[0]?.endedAt ?? 0);
  });

  const unsound: [string, unknown, RegExp][] = [
    ['a tool use without result', { messages: [user('a'), used('1'), user('b')] }, /without a `tool_result`/],
    ['a result without tool use', { messages: [user([result('9')])] }, /unexpected `tool_result` 9/],
    ['two user messages in a row', { messages: [user('a'), user('b')] }, /role must be 'assistant'/],
    ['an empty text', { messages: [user('')] }, /non-empty/],
    ['five breakpoints', { messages: [user(Array.from({ length: 5 }, marked))] }, /maximum of 4 blocks/],
    ['no max_tokens', { max_tokens: undefined }, /max_tokens/],
  ];
  for (const [what, change, message] of unsound) {
    test(`refuses ${what}`, async () => {
      provider = await fakeProvider({ script: [] });
      const response = await post('/v1/messages', { ...ask, ...(change as object) });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        type: 'error',
        error: { message: expect.stringMatching(message) },
      });
      expect(provider.complaints[0]).toMatch(message);
    });
  }
});

describe('chat completions api', () => {
  test('streams text and tool calls, with usage when asked', async () => {
    provider = await fakeProvider({ script: [call('Read', { file_path: '/a' })] });
    const stream_options = { include_usage: true };
    const text = await (await post('/v1/chat/completions', { ...ask, stream: true, stream_options })).text();
    expect(text).toContain('"finish_reason":"tool_calls"');
    expect(text).toContain('"prompt_tokens":');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('refuses a tool call without its tool message', async () => {
    provider = await fakeProvider({ script: [] });
    const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'Read', arguments: '{}' } }];
    const messages = [user('a'), { role: 'assistant', content: '', tool_calls }, user('b')];
    expect((await post('/v1/chat/completions', { ...ask, messages })).status).toBe(400);
    expect(provider.complaints[0]).toContain("'c1' has no response message");
  });
});

test('failures carry the status, the error body of the provider and retry-after', async () => {
  provider = await fakeProvider({
    script: [failWith({ kind: 'rate_limited', message: 'slow down', retryAfterMs: 1500 })],
  });
  const response = await post('/v1/messages', ask);
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('2');
  expect(await response.json()).toMatchObject({ error: { type: 'rate_limit_error', message: 'slow down' } });
});

test('an unmet expectation is answered with a refusal', async () => {
  provider = await fakeProvider({ script: [expecting({ userText: 'bye' }, say('x'))] });
  expect((await post('/v1/messages', ask)).status).toBe(400);
  expect(() => provider?.assertConsumed()).toThrow('+ expected: bye');
});

test('latency delays the answer and each of its events, by the injected clock', async () => {
  const clock = manualClock();
  provider = await fakeProvider({ script: ['hi'], latencyMs: { first: 500, between: 10 }, clock });
  const answered = post('/v1/messages', { ...ask, stream: true }).then((response) => response.text());
  while (provider.requests[0]?.endedAt === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(10);
  }
  const events = (await answered).match(/^event: /gm)?.length ?? 0;
  expect((provider.requests[0].endedAt ?? 0) - provider.requests[0].at).toBeGreaterThanOrEqual(
    500 + 10 * events,
  );
});

test('a wrong key is refused when a key is set', async () => {
  provider = await fakeProvider({ script: [], apiKey: 'right' });
  expect((await post('/v1/messages', ask)).status).toBe(401);
});

test('unknown paths are complained of', async () => {
  provider = await fakeProvider({ script: [] });
  expect((await post('/messages', ask)).status).toBe(404);
  expect(provider.complaints[0]).toContain('POST /messages is not served here');
});

test('lists its models', async () => {
  provider = await fakeProvider({ script: [], models: ['a', 'b'] });
  const list = await (await fetch(`${provider.url}/v1/models`)).json();
  expect((list as { data: { id: string }[] }).data.map((model) => model.id)).toEqual(['a', 'b']);
});

test('runs as a program and reports what was not asked for', async () => {
  await using workspace = await temporaryWorkspace({ 'script.json': '["hello", "never"]' });
  const main = new URL('../../src/testing/fake-provider/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, '--script', workspace.file('script.json')]);
  const [address] = await once(child.stdout, 'data');
  const response = await fetch(`${String(address).trim()}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify(ask),
  });
  expect(response.status).toBe(200);
  const errors: string[] = [];
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  child.kill('SIGTERM');
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(errors.join('')).toContain('step 2 was never requested: "never"');
});

function used(id: string) {
  return { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input: {} }] };
}

function result(id: string) {
  return { type: 'tool_result', tool_use_id: id, content: 'x' };
}

function marked() {
  return { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } };
}

function post(path: string, body: unknown): Promise<Response> {
  return fetch(`${provider?.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
}
