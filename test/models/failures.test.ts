import { afterEach, describe, expect, test } from 'bun:test';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { manualClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveModel } from '../../src/models/resolve.ts';
import type { ModelEvent, ModelFailure } from '../../src/protocol/index.ts';

const key = 'very-secret-key-123';
let server: Server | undefined;
afterEach(() => server?.closeAllConnections());
afterEach(() => server?.close());

const anthropicError = (type: string, message: string) => ({ type: 'error', error: { type, message } });
const openaiError = (message: string, type: string, code: string | null) => ({
  error: { message, type, param: null, code },
});

describe('errors of the provider', () => {
  type Case = [status: number, body: unknown, kind: ModelFailure['kind'], message: RegExp];
  const anthropicCases: Case[] = [
    [
      401,
      anthropicError('authentication_error', 'invalid x-api-key'),
      'authentication',
      /rejected the key: invalid x-api-key\. Check .*cadre key set anthropic/,
    ],
    [403, anthropicError('permission_error', 'no'), 'authentication', /rejected the key/],
    [400, anthropicError('invalid_request_error', 'Your credit balance is too low'), 'billing', /payment/],
    [404, anthropicError('not_found_error', 'model: claude-x'), 'model_not_found', /'claude-x'.*--model/],
    [
      400,
      anthropicError('invalid_request_error', 'prompt is too long: 250000 tokens > 200000 maximum'),
      'context_overflow',
      /too long for claude-x/,
    ],
    [
      400,
      anthropicError('invalid_request_error', 'messages.1: bad'),
      'invalid_request',
      /rejected the request: messages.1: bad/,
    ],
    [413, anthropicError('request_too_large', 'too large'), 'context_overflow', /too long/],
    [429, anthropicError('rate_limit_error', 'slow'), 'rate_limited', /rate-limited the request/],
    [529, anthropicError('overloaded_error', 'Overloaded'), 'overloaded', /overloaded/],
    [503, '<html>Unavailable</html>', 'overloaded', /overloaded/],
    [500, anthropicError('api_error', 'Internal'), 'server', /failed: Internal/],
    [502, '', 'server', /failed \(HTTP 502\)\./],
    [418, 'a teapot', 'invalid_request', /rejected the request \(HTTP 418\)\./],
    [400, { error: { type: { toString: 1 }, message: { toString: 1 } } }, 'invalid_request', /HTTP 400/],
  ];
  for (const [status, body, kind, message] of anthropicCases) {
    test(`anthropic ${status} ${JSON.stringify(body).slice(0, 60)} is ${kind}`, async () => {
      const failure = await failureAfter('anthropic/claude-x', (response) => answer(response, status, body));
      expect(failure).toMatchObject({ kind, status });
      expect(failure.message).toMatch(message);
    });
  }

  const openaiCases: Case[] = [
    [
      401,
      openaiError('Incorrect API key provided: sk-abcd****wxyz', 'invalid_request_error', 'invalid_api_key'),
      'authentication',
      /rejected the key/,
    ],
    [
      429,
      openaiError('You exceeded your quota', 'insufficient_quota', 'insufficient_quota'),
      'billing',
      /payment/,
    ],
    [429, openaiError('Rate limit reached', 'requests', 'rate_limit_exceeded'), 'rate_limited', /rate/],
    [
      400,
      openaiError('too many', 'invalid_request_error', 'context_length_exceeded'),
      'context_overflow',
      /too long/,
    ],
    [
      400,
      openaiError("This model's maximum context length is 8192 tokens", 'x', null),
      'context_overflow',
      /8192/,
    ],
    [
      404,
      openaiError('The model `m` does not exist', 'invalid_request_error', 'model_not_found'),
      'model_not_found',
      /'m'/,
    ],
    [400, { error: 'does not support tools' }, 'invalid_request', /does not support tools/],
  ];
  for (const [status, body, kind, message] of openaiCases) {
    test(`openai ${status} ${JSON.stringify(body).slice(0, 60)} is ${kind}`, async () => {
      const failure = await failureAfter('openai/m', (response) => answer(response, status, body));
      expect(failure).toMatchObject({ kind, status });
      expect(failure.message).toMatch(message);
    });
  }

  test('retry-after is read in seconds, in milliseconds and as a date', async () => {
    const seen: unknown[] = [];
    const headers: Record<string, string>[] = [
      { 'retry-after': '7' },
      { 'retry-after': '7', 'retry-after-ms': '6500' },
      { 'retry-after': 'Thu, 01 Jan 1970 00:00:09 GMT' },
    ];
    for (const header of headers) {
      const body = anthropicError('rate_limit_error', 'slow');
      seen.push(
        (await failureAfter('anthropic/claude-x', (response) => answer(response, 429, body, header)))
          .retryAfterMs,
      );
    }
    expect(seen).toEqual([7_000, 6_500, 9_000]);
  });

  test('keys never appear, whoever quotes them', async () => {
    const said = `bad key ${key} or sk-proj-abcdefgh1234`;
    const failure = await failureAfter('anthropic/claude-x', (response) => {
      answer(response, 401, anthropicError('authentication_error', said));
    });
    expect(failure.message).not.toContain(key);
    expect(failure.message).not.toContain('abcdefgh');
    expect(failure.message).toContain('bad key *** or ***');
  });

  test('an error in the stream has its kind', async () => {
    const frames = [
      ...opening,
      event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
    ];
    const failure = await failureAfter('anthropic/claude-x', (response) => stream(response, frames));
    expect(failure.kind).toBe('overloaded');
  });
});

test('an error object in the stream of an OpenAI-compatible server is its failure, with its words', async () => {
  const frames = [
    chunk({ content: 'Hm' }),
    `data: ${JSON.stringify({ error: { message: 'out of memory' } })}\n\n`,
  ];
  const failure = await failureAfter('openai/m', (response) => stream(response, frames));
  expect(failure).toMatchObject({
    kind: 'server',
    message: expect.stringContaining('out of memory'),
  });
});

describe('the connection', () => {
  test('a refused connection names host and port', async () => {
    const [failure] = await ask('anthropic/claude-x', 'http://127.0.0.1:9');
    expect(failure).toMatchObject({ type: 'response_failed', failure: { kind: 'network' } });
    expect(JSON.stringify(failure)).toMatch(/connection to 127.0.0.1:9 failed: the connection was refused/);
  });

  test('an unknown host is a network failure', async () => {
    const [failure] = await ask('openai/m', 'http://no-such-host.invalid');
    expect(failure).toMatchObject({ type: 'response_failed', failure: { kind: 'network' } });
  });

  test('a connection that breaks in mid-answer is a network failure', async () => {
    const failure = await failureAfter('anthropic/claude-x', (response) => {
      stream(response, [...opening, textStart, textDelta('Hel')], false);
      response.write(': sent\n\n', () => response.destroy());
    });
    expect(failure.kind).toBe('network');
  });
});

describe('the answer', () => {
  test('bytes that are not JSON are malformed', async () => {
    const frames = [...opening, 'data: {"type":"content_blo\n\n', ...closing('end_turn')];
    const events = await eventsAfter('anthropic/claude-x', (response) => stream(response, frames));
    expect(events.at(-1)).toMatchObject({ type: 'response_failed', failure: { kind: 'malformed' } });
  });

  test('an error event whose error cannot become text is malformed, with its content', async () => {
    const frames = [...opening, event('error', { error: { toString: 1 } })];
    const failure = await failureAfter('anthropic/claude-x', (response) => stream(response, frames));
    expect(failure).toMatchObject({ kind: 'malformed', message: expect.stringContaining('"toString":1') });
  });

  test('headers without end are named in our words', async () => {
    const failure = await failureAfter('anthropic/claude-x', (response) => {
      for (let index = 0; index < 200; index++) response.setHeader(`x-${index}`, 'y'.repeat(8_000));
      response.end();
    });
    expect(failure.message).toEndWith('its headers are too large.');
  });

  test("a chunk of another form is named in our words, not the library's", async () => {
    const failure = await failureAfter('openai/m', (response) => stream(response, ['data: {"x":1}\n\n']));
    expect(failure.message).toEndWith('sent an invalid answer: it is not what was agreed: {"x":1}');
  });

  test.each(['anthropic/claude-x', 'openai/m'])(
    'the type of %s may be in any case, and none is said',
    async (id) => {
      const bare = await failureAfter(id, (response) => {
        response.setHeader('content-type', '');
        response.end('x');
      });
      expect(bare.message).toContain('got nothing');
      const events = await eventsAfter(id, (response) => {
        response.writeHead(200, { 'content-type': 'Text/Event-Stream; Charset=UTF-8' });
        response.end();
      });
      expect(JSON.stringify(events)).not.toContain('Expected a stream of events');
    },
  );

  test('broken compression is named in our words', async () => {
    const failure = await failureAfter('anthropic/claude-x', (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.end('this is not gzip');
    });
    expect(failure.kind).toBe('malformed');
    expect(failure.message).toEndWith('its compressed content cannot be decompressed.');
  });

  const invalid: [what: string, name: string, frames: string[]][] = [
    [
      'half a tool input',
      'anthropic/claude-x',
      [...opening, ...toolUse('{"file_path": "/a', 0), ...closing('tool_use')],
    ],
    [
      'a tool input that is a list',
      'anthropic/claude-x',
      [...opening, ...toolUse('[1]', 0), ...closing('tool_use')],
    ],
    [
      'half a tool input',
      'openai/m',
      [chunk({ tool_calls: [openaiCall('{"a":')] }), chunk({}, 'tool_calls'), done],
    ],
  ];
  for (const [what, name, frames] of invalid) {
    test(`${what} from ${name} is an invalid call of a whole answer`, async () => {
      const events = await eventsAfter(name, (response) => stream(response, frames));
      const content = [{ type: 'tool_use', input: {}, invalidInput: expect.any(String) }];
      expect(events.at(-1)).toMatchObject({ type: 'response_ended', message: { content } });
    });
  }

  const cut: [what: string, name: string, frames: string[]][] = [
    ['an end without an end', 'anthropic/claude-x', [...opening, textStart, textDelta('Hello')]],
    ['an empty answer', 'anthropic/claude-x', []],
    ['an empty answer', 'openai/m', []],
    ['no finish reason', 'openai/m', [chunk({ tool_calls: [openaiCall('{"a":1}')] }), done]],
  ];
  for (const [what, name, frames] of cut) {
    test(`${what} from ${name} counts as trouble on the way, so that it is tried again`, async () => {
      const failure = await failureAfter(name, (response) => stream(response, frames));
      expect(failure).toMatchObject({
        kind: 'network',
        message: expect.stringContaining('cut off before its end'),
      });
    });
  }

  test('an answer refused within a call keeps the text and drops the call', async () => {
    const frames = [
      ...opening,
      textStart,
      textDelta('Well.'),
      textStop,
      ...toolUse('{"content": "lo', 1),
      ...closing('refusal'),
    ];
    const events = await eventsAfter('anthropic/claude-x', (response) => stream(response, frames));
    expect(events.at(-1)).toMatchObject({
      type: 'response_ended',
      message: { stop_reason: 'refusal', content: [{ type: 'text', text: 'Well.' }] },
    });
  });

  test('two calls that a server gives one id become two calls with ids of their own', async () => {
    const twice = [0, 1].map((index) => ({ ...openaiCall('{"a":1}'), index }));
    const frames = [chunk({ tool_calls: twice }), chunk({}, 'tool_calls'), done];
    const events = await eventsAfter('openai/m', (response) => stream(response, frames));
    const ids = events.flatMap((e) =>
      e.type === 'block_ended' && e.block.type === 'tool_use' ? [e.block.id] : [],
    );
    expect(new Set(ids).size).toBe(2);
  });

  test('an answer cut by its token limit within a call keeps the text and drops the call', async () => {
    const frames = [
      ...opening,
      textStart,
      textDelta('Writing.'),
      textStop,
      ...toolUse('{"content": "lo', 1),
      ...closing('max_tokens'),
    ];
    const events = await eventsAfter('anthropic/claude-x', (response) => stream(response, frames));
    expect(events.at(-1)).toMatchObject({
      type: 'response_ended',
      message: { stop_reason: 'max_tokens', content: [{ type: 'text', text: 'Writing.' }] },
    });
  });

  test('a call cut before any of its input is dropped too', async () => {
    const frames = [...opening, ...toolUse('', 0), ...closing('max_tokens')];
    const events = await eventsAfter('anthropic/claude-x', (response) => stream(response, frames));
    expect(events.at(-1)).toMatchObject({
      type: 'response_ended',
      message: { stop_reason: 'max_tokens', content: [] },
    });
    expect(events.some((e) => e.type === 'block_ended')).toBe(false);
  });

  test('calls under the finish reason stop are still tool use', async () => {
    const frames = [
      chunk({ content: 'Hm.' }),
      chunk({ tool_calls: [openaiCall('')] }),
      chunk({}, 'stop'),
      done,
    ];
    const events = await eventsAfter('openai/m', (response) => stream(response, frames));
    expect(events.at(-1)).toMatchObject({
      type: 'response_ended',
      message: { stop_reason: 'tool_use', content: [{ type: 'text' }, { type: 'tool_use', input: {} }] },
    });
  });
});

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

const usage = { input_tokens: 1, output_tokens: 1 };
const opening = [
  event('message_start', {
    message: {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [],
      stop_reason: null,
      usage,
    },
  }),
];
const textStart = event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
const textStop = event('content_block_stop', { index: 0 });

function textDelta(text: string): string {
  return event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
}

function toolUse(json: string, index: number): string[] {
  return [
    event('content_block_start', {
      index,
      content_block: { type: 'tool_use', id: 't1', name: 'Read', input: {} },
    }),
    event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: json } }),
    event('content_block_stop', { index }),
  ];
}

function closing(stop_reason: string): string[] {
  return [
    event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } }),
    event('message_stop', {}),
  ];
}

function chunk(delta: object, finish_reason: string | null = null): string {
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
}

const done = 'data: [DONE]\n\n';

function openaiCall(args: string) {
  return { index: 0, id: 'call_1', type: 'function', function: { name: 'Read', arguments: args } };
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function stream(response: ServerResponse, frames: string[], end = true): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const frame of frames) response.write(frame);
  if (end) response.end();
}

async function failureAfter(
  name: string,
  respond: (response: ServerResponse) => void,
): Promise<ModelFailure> {
  const last = (await eventsAfter(name, respond)).at(-1);
  if (last?.type !== 'response_failed') throw new Error(`expected a failure, got ${JSON.stringify(last)}`);
  return last.failure;
}

async function eventsAfter(name: string, respond: (response: ServerResponse) => void): Promise<ModelEvent[]> {
  server = createServer((_, response) => respond(response));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return ask(name, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

async function ask(name: string, url: string): Promise<ModelEvent[]> {
  const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, OPENAI_BASE_URL: url };
  const model = resolveModel(name, { env, keys: memoryKeyStore(), clock: manualClock() });
  if (!model.ok) throw new Error(model.problem.message);
  const request = {
    system: [],
    tools: [],
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] }],
    maxOutputTokens: 100,
    thinking: { type: 'off' as const },
  };
  const events: ModelEvent[] = [];
  for await (const event of model.value.stream(request, new AbortController().signal)) events.push(event);
  return events;
}
