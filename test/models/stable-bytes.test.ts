import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveModel } from '../../src/models/resolve.ts';
import type {
  AssistantMessage,
  Message,
  Model,
  ModelRequest,
  UserMessage,
} from '../../src/protocol/index.ts';
import {
  type AnswerTurn,
  call,
  calls,
  type FakeProvider,
  fakeProvider,
  say,
  think,
  together,
} from '../../src/testing/index.ts';

const redacted: AnswerTurn = { blocks: [{ type: 'redacted_thinking', data: 'sealed+/=' }] };

const script = [
  together(
    think('First, look.', 'proof+/=1'),
    redacted,
    say('Looking. '),
    call('Read', { file_path: '/ä', limit: 1 }),
  ),
  calls([call('Read', { file_path: '/b' }), call('Bash', { command: 'echo "x"\n' })]),
  say('  Nearly there.\n'),
  together(think('', 'proof-of-nothing-shown'), say('Done.')),
];

describe.each([
  ['anthropic/claude-sonnet-5-5', 'ANTHROPIC_BASE_URL', /,"cache_control":\{"type":"ephemeral"\}/g, ']}'],
  ['openai/local', 'OPENAI_BASE_URL', /(?!)/g, '],"tools":'],
])('%s', (name, variable, marks, endOfMessages) => {
  test('P1: every request begins with the bytes of the one before it', async () => {
    await using provider = await fakeProvider({ script });
    await converse(modelAt(provider, name, variable), script.length);
    provider.assertConsumed();
    const bodies = provider.requests.map((request) => request.body.toString().replace(marks, ''));
    for (const [index, body] of bodies.entries()) {
      const previous = bodies[index - 1];
      if (previous === undefined) continue;
      const messagesEnd = previous.lastIndexOf(endOfMessages);
      expect(messagesEnd).toBeGreaterThan(0);
      expect(body.startsWith(previous.slice(0, messagesEnd))).toBe(true);
      expect(body.endsWith(previous.slice(messagesEnd))).toBe(true);
    }
  });

  test('max output tokens are always said', async () => {
    await using provider = await fakeProvider({ script: ['ok'] });
    await converse(modelAt(provider, name, variable), 1);
    expect(provider.requests[0]?.json?.max_tokens).toBe(4_000);
  });
});

test('cache marks are on the last tool, the last system part and the last two user messages', async () => {
  await using provider = await fakeProvider({ script });
  await converse(modelAt(provider, 'anthropic/claude-sonnet-5-5', 'ANTHROPIC_BASE_URL'), script.length);
  const body = provider.requests[3]?.json as unknown as {
    tools: Marked[];
    system: Marked[];
    messages: { role: string; content: Marked[] }[];
  };
  expect(body.tools.map(isMarked)).toEqual([false, true]);
  expect(body.system.map(isMarked)).toEqual([false, true]);
  const places = body.messages.flatMap(({ content }, index) =>
    content.flatMap((block, place) => (isMarked(block) ? [[index, place === content.length - 1]] : [])),
  );
  expect(places).toEqual([
    [4, true],
    [6, true],
  ]);
});

test('thinking, sealed thinking and white space go back to Anthropic byte for byte', async () => {
  await using provider = await fakeProvider({ script });
  await converse(modelAt(provider, 'anthropic/claude-sonnet-5-5', 'ANTHROPIC_BASE_URL'), script.length);
  const last = provider.received[3];
  expect(last?.messages[1]?.content.slice(0, 3)).toEqual([
    { type: 'thinking', thinking: 'First, look.', signature: 'proof+/=1' },
    { type: 'redacted_thinking', data: 'sealed+/=' },
    { type: 'text', text: 'Looking. ' },
  ]);
  expect(last?.messages[5]?.content).toEqual([{ type: 'text', text: '  Nearly there.\n' }]);
});

interface Marked {
  cache_control?: unknown;
}

function isMarked(block: Marked): boolean {
  return block.cache_control !== undefined;
}

function modelAt(provider: FakeProvider, name: string, variable: string): Model {
  const env = { [variable]: provider.url };
  const resolved = resolveModel(name, { env, keys: memoryKeyStore(), clock: systemClock });
  if (!resolved.ok) throw new Error(resolved.problem.message);
  return resolved.value;
}

/** Plays a whole session: prompts, answers and tool results, the messages array growing as in the loop. */
async function converse(model: Model, turns: number): Promise<void> {
  const messages: Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'Begin, "please" \u2028 …' }] },
  ];
  const request: ModelRequest = {
    system: ['You are stable.', 'Environment: none.'],
    tools: ['Read', 'Bash'].map((name) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object', properties: { file_path: { type: 'string' } } },
    })),
    messages,
    maxOutputTokens: 4_000,
    thinking: { type: 'adaptive' },
  };
  for (let turn = 0; turn < turns; turn++) {
    for await (const event of model.stream(request, new AbortController().signal)) {
      if (event.type === 'response_failed') throw new Error(event.failure.message);
      if (event.type === 'response_ended') messages.push(event.message, replyTo(event.message));
    }
  }
}

function replyTo(message: AssistantMessage): UserMessage {
  const uses = message.content.filter((block) => block.type === 'tool_use');
  if (uses.length === 0) return { role: 'user', content: [{ type: 'text', text: 'Go on.' }] };
  return {
    role: 'user',
    content: uses.map((use, index) => ({
      type: 'tool_result',
      tool_use_id: use.id,
      content: [{ type: 'text', text: index === 0 ? 'fine' : '' }],
      ...(index === 1 ? { is_error: true } : {}),
    })),
  };
}
