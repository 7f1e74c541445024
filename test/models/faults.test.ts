import { describe, expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import type { ModelEvent, ModelFailureKind } from '../../src/protocol/index.ts';
import { call, fakeProvider, refuse, say, type Turn, together } from '../../src/testing/index.ts';
import { faulty, respond, sayNothing } from '../../src/testing/turns.ts';
import { collect, modelOver, type Wire, wires } from './wires.ts';

/** How an answer may end: whole, or by one of these failures. Whatever it is, it is a value. */
type End = 'whole' | ModelFailureKind;

const answer = together(
  say('Let me look at it.'),
  call('Read', { file_path: '/a/long/enough/path.txt' }, 'call_1'),
);
const html = { 'content-type': 'text/html' };
const json = { 'content-type': 'application/json' };

/** The last events of each wire, in its own words. */
const lastOf: Record<string, { end: string; finish: string }> = {
  anthropic: { end: 'message_stop', finish: 'message_delta' },
  openai: { end: '[DONE]', finish: '"finish_reason":"tool_calls"' },
  responses: { end: 'response.completed', finish: 'response.completed' },
  google: { end: 'finishReason', finish: 'finishReason' },
};

/** Nothing where a wire has no such fault. */
const faults: [what: string, turn: (wire: Wire) => Turn, ends: (wire: Wire) => End | undefined][] = [
  ['nothing at all', () => faulty({ kind: 'cut', afterBytes: 0 }, answer), () => 'network'],
  ['an end after the first event', () => faulty({ kind: 'cut', afterEvents: 1 }, answer), () => 'network'],
  ['an end within an event', () => faulty({ kind: 'cut', afterBytes: 700 }, answer), () => 'network'],
  [
    'a broken connection at the start',
    () => faulty({ kind: 'cut', afterEvents: 1, by: 'reset' }, answer),
    () => 'network',
  ],
  [
    'a broken connection in mid-answer',
    () => faulty({ kind: 'cut', afterBytes: 700, by: 'reset' }, answer),
    () => 'network',
  ],
  ['an event that is not JSON', () => faulty({ kind: 'malformed', event: 2 }, answer), () => 'malformed'],
  // The model is told, and nothing is run. On one wire half an input is half an event.
  [
    'half a tool input',
    () => faulty({ kind: 'truncated_input' }, answer),
    ({ name }) => (name === 'google' ? 'malformed' : 'whole'),
  ],
  ['the first event twice', () => faulty({ kind: 'duplicated', event: 0 }, answer), () => 'whole'],
  [
    'the last event twice',
    ({ name }) => faulty({ kind: 'duplicated', event: lastOf[name]?.end ?? '' }, answer),
    () => 'whole',
  ],
  [
    'no last event',
    ({ name }) => faulty({ kind: 'missing', event: lastOf[name]?.end ?? '' }, answer),
    ({ hasLastWord }) => (hasLastWord ? 'network' : 'whole'),
  ],
  [
    'no reason for its end',
    ({ name }) => faulty({ kind: 'missing', event: lastOf[name]?.finish ?? '' }, answer),
    () => 'network',
  ],
  [
    'a piece of a tool input that comes too early',
    () => faulty({ kind: 'swapped', event: -7 }, answer),
    ({ hasWholeInputs }) => (hasWholeInputs ? undefined : 'whole'),
  ],
  [
    'an error in mid-stream',
    () => faulty({ kind: 'error_event', event: 3, message: 'Overloaded', status: 529 }, answer),
    ({ name }) => (name === 'anthropic' || name === 'google' ? 'overloaded' : 'server'),
  ],
  ['bytes that are nothing', () => faulty({ kind: 'garbage', event: 2 }, answer), () => 'malformed'],
  [
    'bytes outside of any event',
    () => faulty({ kind: 'garbage', event: 2, bytes: [0, 0, 0xff, 0xc3, 10, 10] }, answer),
    () => 'whole',
  ],
  [
    'a line without an end',
    () => faulty({ kind: 'huge_line', event: 2, bytes: 34 * 1024 * 1024 }, answer),
    () => 'malformed',
  ],
  ['one byte at a time', () => faulty({ kind: 'drip', bytes: 1, pauseMs: 0 }, answer), () => 'whole'],
  [
    'another content type',
    () => faulty({ kind: 'content_type', type: 'application/octet-stream' }, answer),
    () => 'malformed',
  ],
  ['JSON in place of a stream', () => faulty({ kind: 'not_streamed' }, answer), () => 'malformed'],
  [
    'a page in place of a stream',
    () => respond({ headers: html, body: '<html>Sign in to the network</html>' }),
    () => 'malformed',
  ],
  ['an empty body without a type', () => respond({}), () => 'malformed'],
  ['a page and 502', () => respond({ status: 502, headers: html, body: '<h1>Bad gateway' }), () => 'server'],
  [
    'half a JSON and 500',
    () => respond({ status: 500, headers: json, body: '{"error": {"mess' }),
    () => 'server',
  ],
  ['a list and 429', () => respond({ status: 429, headers: json, body: '[1]' }), () => 'rate_limited'],
  ['null and 400', () => respond({ status: 400, headers: json, body: 'null' }), () => 'invalid_request'],
  ['an unheard-of status', () => respond({ status: 599, body: '\0\0' }), () => 'server'],
  ['a redirect to nowhere', () => respond({ status: 302, body: '' }), () => 'invalid_request'],
  ['a refusal', () => refuse('No.'), () => 'whole'],
  ['an empty answer', () => sayNothing(), () => 'whole'],
];

for (const wire of wires) {
  describe(`R12 ${wire.name}`, () => {
    for (const [what, turn, ends] of faults.filter(([, , ends]) => ends(wire)))
      test(`${what} ends as ${ends(wire)}, and no half call comes out`, async () => {
        await using provider = await fakeProvider({ script: [turn(wire)] });
        const events = await collect(modelOver(wire, fetch, provider.url));
        expect(endOf(events)).toBe(ends(wire));
        expect(
          endedInputs(events).filter((input) => input !== '{"file_path":"/a/long/enough/path.txt"}'),
        ).toEqual([]);
        expect(provider.complaints).toEqual([]);
      });
  });
}

test('what was counted before an answer broke off is told, so that it can be paid for', async () => {
  const usage = { input_tokens: 40, cache_read_input_tokens: 500 };
  await using provider = await fakeProvider({
    script: [faulty({ kind: 'cut', afterEvents: 3 }, { ...say('Half of it'), usage })],
  });
  const [anthropic] = wires;
  const events = anthropic ? await collect(modelOver(anthropic, fetch, provider.url)) : [];
  expect(events.at(-1)).toMatchObject({ type: 'response_failed', usage: { ...usage, output_tokens: 1 } });
});

test('an answer that drips is waited for by the injected clock alone', async () => {
  const clock = manualClock();
  await using provider = await fakeProvider({
    script: [faulty({ kind: 'drip', bytes: 50, pauseMs: 60_000 }, say('slowly'))],
    clock,
  });
  const [wire] = wires;
  if (!wire) throw new Error('no wire');
  const answered = collect(modelOver(wire, fetch, provider.url));
  let isDone = false;
  void answered.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(60_000);
  }
  expect(endOf(await answered)).toBe('whole');
  expect(clock.monotonic()).toBeGreaterThan(600_000);
});

function endOf(events: readonly ModelEvent[]): End | undefined {
  const ends = events.filter((event) => event.type === 'response_ended' || event.type === 'response_failed');
  expect(ends).toHaveLength(1);
  const last = events.at(-1);
  if (last?.type === 'response_failed') return last.failure.kind;
  return last?.type === 'response_ended' ? 'whole' : undefined;
}

function endedInputs(events: readonly ModelEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'block_ended' && event.block.type === 'tool_use' && event.block.invalidInput === undefined
      ? [JSON.stringify(event.block.input)]
      : [],
  );
}
