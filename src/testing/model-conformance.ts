import type {
  AssistantBlock,
  Message,
  Model,
  ModelEvent,
  ModelFailure,
  ModelRequest,
} from '../protocol/index.ts';
import { textOf, toolUses } from '../protocol/index.ts';
import type { Turn } from './turns.ts';
import { call, calls, failWith, hang, say, think, together } from './turns.ts';

/** A model that answers from a script, and each request as its backend understood it. */
export interface ConformanceSubject {
  model: Model;
  /** Requests as they arrived, in our types. */
  received(): readonly ModelRequest[];
  /** False if the wire cannot express something; the cases then expect the next best. */
  has: { signatures: boolean; errorFlag: boolean; cacheWrites: boolean };
  close(): Promise<void>;
}

export interface ConformanceCase {
  name: string;
  /** Rejects if the model does not conform. */
  run(open: (script: Turn[]) => Promise<ConformanceSubject>): Promise<void>;
}

/** The requirements for every `Model`, whatever its backend. Runs under any test runner: a failed case throws. */
export function modelConformance(): ConformanceCase[] {
  return Object.entries(cases).map(([name, check]) => ({
    name,
    async run(open) {
      const { script, body } = check();
      const subject = await open(script);
      try {
        await body(subject);
      } finally {
        await subject.close();
      }
    },
  }));
}

type Check = () => { script: Turn[]; body(subject: ConformanceSubject): Promise<void> };

const cases: Record<string, Check> = {
  'text arrives in pieces and is complete at the end': () => ({
    script: [say('Good morning, everybody. ☀️')],
    async body({ model }) {
      const events = await collect(model, asking('hello'));
      const pieces = events.flatMap((e) =>
        e.type === 'block_delta' && e.delta.type === 'text' ? [e.delta.text] : [],
      );
      expectThat(pieces.length > 1, `several text deltas, got ${pieces.length}`);
      expectSame(pieces.join(''), 'Good morning, everybody. ☀️', 'the joined deltas');
      expectSame(events[0]?.type, 'response_started', 'the first event');
      const message = expectEnd(events);
      expectSame(textOf(message.content), 'Good morning, everybody. ☀️', 'the message');
      expectSame(message.stop_reason, 'end_turn', 'the stop reason');
    },
  }),

  'thinking has its signature and is sent back unchanged': () => ({
    script: [together(think('Step by step.', 'proof-1'), say('Yes.')), say('Still yes.')],
    async body({ model, received, has }) {
      const message = expectEnd(await collect(model, asking('really?')));
      const [block] = message.content;
      const said = { type: 'thinking' as const, thinking: 'Step by step.' };
      const proven = has.signatures ? { ...said, signature: 'proof-1' } : said;
      expectThat(block?.type === 'thinking', `a thinking block, got ${JSON.stringify(block)}`);
      if (block?.type !== 'thinking') return;
      expectSame(block.thinking, said.thinking, 'the thinking');
      // A model may wrap the provider's proof; the provider gets back the proof itself.
      expectSame(block.signature?.includes('proof-1') ?? false, has.signatures, 'the proof is kept');
      expectEnd(await collect(model, asking('sure?', [...asking('really?').messages, message])));
      expectSame(received()[1]?.messages[1]?.content[0], proven, 'the thinking that was sent back');
    },
  }),

  'parallel tool calls arrive complete, in order, with their own ids': () => ({
    script: [
      together(
        say('Looking.'),
        call('Read', { file_path: '/a' }),
        call('Grep', { pattern: 'x"y\\z\n' }),
        call('List', {}),
      ),
    ],
    async body({ model }) {
      const events = await collect(model, asking('look'));
      const message = expectEnd(events);
      expectSame(message.stop_reason, 'tool_use', 'the stop reason');
      const inputs = toolUses(message).map((use) => [use.name, use.input]);
      expectSame(
        inputs,
        [
          ['Read', { file_path: '/a' }],
          ['Grep', { pattern: 'x"y\\z\n' }],
          ['List', {}],
        ],
        'the calls',
      );
      expectSame(new Set(toolUses(message).map((use) => use.id)).size, 3, 'distinct ids');
      const ended = events.flatMap((e) => (e.type === 'block_ended' ? [[e.index, e.block]] : []));
      expectSame(
        ended.sort(byIndex),
        message.content.map((block, index) => [index, block]),
        'the ended blocks',
      );
    },
  }),

  'tool results arrive with text, image and error flag': () => ({
    script: [calls([call('Read', { n: 1 }, 'call_1'), call('Read', { n: 2 }, 'call_2')]), say('Seen.')],
    async body({ model, received, has }) {
      const message = expectEnd(await collect(model, asking('look')));
      expectEnd(await collect(model, asking('', [...asking('look').messages, message, results])));
      const last = received()[1]?.messages.at(-1)?.content ?? [];
      const images = last.flatMap((block) => (block.type === 'tool_result' ? block.content : [block]));
      expectThat(
        images.some(
          (block) => block.type === 'image' && block.source.type === 'base64' && block.source.data === pixel,
        ),
        'the image arrives',
      );
      const failed = last.find((block) => block.type === 'tool_result' && block.tool_use_id === 'call_2');
      const text = failed?.type === 'tool_result' ? textOf(failed.content) : '';
      expectThat(text.includes('no such file'), `the error text arrives, got ${JSON.stringify(text)}`);
      const flagged = failed?.type === 'tool_result' && failed.is_error === true;
      expectThat(has.errorFlag ? flagged : text.startsWith('Error: '), 'the result is marked as an error');
    },
  }),

  'usage separates input, output and cache': () => ({
    script: [
      {
        ...say('ok'),
        usage: {
          input_tokens: 11,
          output_tokens: 7,
          cache_read_input_tokens: 500,
          cache_creation_input_tokens: 30,
        },
      },
    ],
    async body({ model, has }) {
      const { usage } = expectEnd(await collect(model, asking('x')));
      const written = has.cacheWrites ? 30 : 0;
      const expected = {
        input_tokens: 11 + (30 - written),
        output_tokens: 7,
        cache_read_input_tokens: 500,
        cache_creation_input_tokens: written,
      };
      expectSame(usage, expected, 'the usage');
    },
  }),

  'an abort in mid-stream ends with the failure aborted': () => ({
    script: [hang(say('I will go on and on'))],
    async body({ model }) {
      const controller = new AbortController();
      const events: ModelEvent[] = [];
      for await (const event of model.stream(asking('x'), controller.signal)) {
        events.push(event);
        if (event.type === 'block_delta') controller.abort();
      }
      expectSame(findFailure(events)?.kind, 'aborted', 'the last event');
    },
  }),

  'nothing is sent if the signal has already fired': () => ({
    script: [],
    async body({ model, received }) {
      const events = await collect(model, asking('x'), AbortSignal.abort());
      expectSame(findFailure(events)?.kind, 'aborted', 'the only event');
      expectSame(received().length, 0, 'requests received');
    },
  }),

  'a failure is a value with its kind, status and time to wait': () => ({
    script: [
      failWith({ kind: 'rate_limited', message: 'slow down', status: 429, retryAfterMs: 2_000 }),
      failWith({ kind: 'overloaded', message: 'busy', status: 529 }),
      failWith({ kind: 'authentication', message: 'who are you', status: 401 }),
      failWith({ kind: 'server', message: 'oops', status: 500 }),
    ],
    async body({ model }) {
      const seen: unknown[] = [];
      for (let i = 0; i < 4; i++) {
        const failure = findFailure(await collect(model, asking('x')));
        seen.push([failure?.kind, failure?.status, failure?.retryAfterMs]);
      }
      const expected = [
        ['rate_limited', 429, 2_000],
        ['overloaded', 529, undefined],
        ['authentication', 401, undefined],
        ['server', 500, undefined],
      ];
      expectSame(seen, expected, 'the failures');
    },
  }),
};

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const results: Message = {
  role: 'user',
  content: [
    {
      type: 'tool_result',
      tool_use_id: 'call_1',
      content: [
        { type: 'text', text: 'a picture' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
      ],
    },
    {
      type: 'tool_result',
      tool_use_id: 'call_2',
      content: [{ type: 'text', text: 'no such file' }],
      is_error: true,
    },
  ],
};

function asking(text: string, before: Message[] = []): ModelRequest {
  const asked: Message[] = text ? [{ role: 'user', content: [{ type: 'text', text }] }] : [];
  const tools = ['Read', 'Grep', 'List'].map((name) => ({
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: 'object', properties: {} },
  }));
  return {
    system: ['You are being tested.'],
    tools,
    messages: [...before, ...asked],
    maxOutputTokens: 2_000,
    thinking: { type: 'off' },
  };
}

async function collect(
  model: Model,
  request: ModelRequest,
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal)) events.push(event);
  return events;
}

function expectEnd(events: ModelEvent[]) {
  const last = events.at(-1);
  if (last?.type === 'response_ended') return last.message;
  throw new Error(`expected response_ended, got ${JSON.stringify(last)}`);
}

function findFailure(events: ModelEvent[]): ModelFailure | undefined {
  const last = events.at(-1);
  return last?.type === 'response_failed' ? last.failure : undefined;
}

function byIndex(a: (number | AssistantBlock)[], b: (number | AssistantBlock)[]): number {
  return Number(a[0]) - Number(b[0]);
}

function expectThat(condition: boolean, what: string): void {
  if (!condition) throw new Error(`expected ${what}`);
}

function expectSame(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}\n  + expected: ${b}\n  -   actual: ${a}`);
}
