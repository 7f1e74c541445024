import { describe, expect, test } from 'bun:test';
import { type ManualClock, manualClock } from '../../src/lib/clock.ts';
import { Pacer } from '../../src/models/pacer/pacer.ts';
import { withPacer } from '../../src/models/pacer/with-pacer.ts';
import type { Fetch } from '../../src/models/transport.ts';
import type { ModelEvent, ModelFailureKind } from '../../src/protocol/index.ts';
import { call, fakeProvider, say, think, together } from '../../src/testing/index.ts';
import { type AnswerTurn, faulty } from '../../src/testing/turns.ts';
import { drive, only } from './pacer-support.ts';
import { modelOver, question, type Wire, wireNamed, wires } from './wires.ts';

type StreamFault = NonNullable<AnswerTurn['fault']>;

/** Every kind of block, so that there are positions before, within, between and after each. */
const answer = together(
  think('I should look first.', 'signature+/=1'),
  say('Let me look at it.'),
  call('Read', { file_path: '/a/long/enough/path.txt' }, 'call_1'),
);

/** A failure before the event of this number, and what it may be taken for. */
const failures: [what: string, fault: (event: number) => StreamFault, kinds: ModelFailureKind[]][] = [
  ['an end', (event) => ({ kind: 'cut', afterEvents: event }), ['network']],
  ['a broken connection', (event) => ({ kind: 'cut', afterEvents: event, by: 'reset' }), ['network']],
  ['silence', (event) => ({ kind: 'cut', afterEvents: event, by: 'silence' }), ['network']],
  ['an overload', (event) => errorEvent(event, 529, 'Overloaded'), ['overloaded', 'server']],
  ['an error of the server', (event) => errorEvent(event, 500, 'Internal error'), ['server']],
  ['a rate limit', (event) => errorEvent(event, 429, 'Too fast'), ['rate_limited']],
  ['garbage', (event) => ({ kind: 'garbage', event }), ['malformed']],
  ['half an event', (event) => ({ kind: 'malformed', event }), ['malformed']],
];

function errorEvent(event: number, status: number, message: string): StreamFault {
  return { kind: 'error_event', event, status, message };
}

for (const wire of wires) {
  describe(`G6 R12 ${wire.name}`, () => {
    for (const [what, fault, kinds] of failures)
      test(`${what} at any position of the answer: it is asked for again, and no half call comes out`, async () => {
        const whole = await ask(wire, [answer]);
        for (let event = 0; event < (await countEvents(wire)); event++) {
          const { events, requests } = await ask(wire, [faulty(fault(event), answer), answer]);
          const place = `${what} before event ${event}`;
          // After the reason for its end an answer may be whole without its last event.
          const isWhole = requests === 1 && !wire.hasLastWord && event >= (await countEvents(wire)) - 2;
          expect([place, contentOf(events)]).toEqual([place, contentOf(whole.events)]);
          if (isWhole) continue;
          const retried = only(events, 'request_retried').map(({ failure }) => failure.kind);
          expect([place, requests, retried.length]).toEqual([place, 2, 1]);
          expect(kinds).toContain(retried[0] ?? 'aborted');
          expect([place, halfCalls(events)]).toEqual([place, []]);
        }
      }, 60_000);

    test('the first event twice is ignored', async () => {
      const { events, requests } = await ask(wire, [faulty({ kind: 'duplicated', event: 0 }, answer)]);
      expect(requests).toBe(1);
      expect(contentOf(events)).toBeDefined();
      expect(only(events, 'response_started')).toHaveLength(1);
    });
  });
}

test('a second answer within the same stream is not an answer', async () => {
  const wire = wireNamed('anthropic');
  const other = 'event: message_start\ndata: {"type":"message_start","message":{"id":"other"}}\n\n';
  const bytes = [...Buffer.from(other)];
  const { events } = await ask(wire, [faulty({ kind: 'garbage', event: 3, bytes }, answer), answer]);
  expect(only(events, 'request_retried').map(({ failure }) => failure.kind)).toEqual(['malformed']);
});

test('a server that breaks every answer is given up in the end, and a rate limit never is', async () => {
  const wire = wireNamed('anthropic');
  const cut = await ask(wire, () => faulty({ kind: 'cut', afterEvents: 4 }, answer));
  expect(cut.requests).toBe(10);
  expect(cut.events.at(-1)).toMatchObject({ type: 'response_failed', failure: { kind: 'network' } });
  let refusals = 40;
  const limited = await ask(wire, () =>
    refusals-- > 0 ? faulty(errorEvent(4, 429, 'Too fast'), answer) : answer,
  );
  expect(limited.events.at(-1)?.type).toBe('response_ended');
});

/** As providers and gateways were seen to send them in mid-stream. */
const seenErrors: [wire: string, error: Record<string, unknown>, kind: ModelFailureKind][] = [
  ['anthropic', { type: 'error', error: { type: 'timeout_error', message: 'Too slow' } }, 'server'],
  ['anthropic', { type: 'error', error: { message: 'Nobody knows' } }, 'server'],
  ['openai', { error: { code: 429, message: 'Rate limit exceeded' } }, 'rate_limited'],
  ['openai', { error: { code: 503, message: 'No instance' } }, 'overloaded'],
  ['openai', { error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
  ['openai', { error: { message: 'Provider returned error' } }, 'server'],
  ['responses', responseFailed('rate_limit_exceeded'), 'rate_limited'],
  ['responses', responseFailed('server_error'), 'server'],
  ['google', { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }, 'overloaded'],
  ['google', { error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED' } }, 'rate_limited'],
];

function responseFailed(code: string): Record<string, unknown> {
  const response = { id: 'resp_1', status: 'failed', error: { code, message: 'It failed' } };
  return { type: 'response.failed', sequence_number: 9, response };
}

for (const [name, error, kind] of seenErrors)
  test(`G6 ${name}: ${JSON.stringify(error)} in mid-answer is ${kind}, and asked for again`, async () => {
    const fault: StreamFault = { kind: 'error_event', event: 6, error };
    const { events } = await ask(wireNamed(name), [faulty(fault, answer), answer]);
    expect(only(events, 'request_retried').map(({ failure }) => failure.kind)).toEqual([kind]);
    expect(events.at(-1)?.type).toBe('response_ended');
  });

async function ask(wire: Wire, script: AnswerTurn[] | (() => AnswerTurn)) {
  const clock = manualClock();
  const silence = manualClock();
  await using provider = await fakeProvider({ script });
  const wired = modelOver(wire, hearSilence(silence), provider.url, silence);
  const model = withPacer(wired, new Pacer({ clock, random: () => 0 }));
  const events = await drive(clock, Array.fromAsync(model.stream(question, new AbortController().signal)));
  expect(provider.complaints).toEqual([]);
  return { events, requests: provider.requests.length };
}

/** Lets as much time pass as it takes, once a connection that stays open has nothing more to give. */
function hearSilence(clock: ManualClock): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.headers.has('x-silent')) return response;
    const reader = response.body?.getReader();
    let left = Number(response.headers.get('x-silent'));
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (left === 0) {
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
          return void clock.advance(3_600_000);
        }
        const { value = new Uint8Array() } = (await reader?.read()) ?? {};
        left -= value.length;
        controller.enqueue(value);
      },
      cancel: () => reader?.cancel(),
    });
    return new Response(body, response);
  };
}

const counts = new Map<string, number>();

/** How many events the whole answer has on this wire. */
async function countEvents(wire: Wire): Promise<number> {
  const known = counts.get(wire.name);
  if (known !== undefined) return known;
  await using provider = await fakeProvider({ script: [answer] });
  let text = '';
  const reading: Fetch = async (...given) => {
    const response = await fetch(...given);
    text = await response.clone().text();
    return response;
  };
  await Array.fromAsync(
    modelOver(wire, reading, provider.url).stream(question, new AbortController().signal),
  );
  const count = text.split('\n\n').filter((frame) => frame.trim() !== '').length;
  counts.set(wire.name, count);
  return count;
}

function contentOf(events: readonly ModelEvent[]): unknown {
  const last = events.at(-1);
  // The provider's own ids are of the attempt.
  const text = last?.type === 'response_ended' ? JSON.stringify(last.message.content) : undefined;
  return text?.replaceAll(/msg_\d+_/g, 'msg_');
}

function halfCalls(events: readonly ModelEvent[]): unknown[] {
  return only(events, 'block_ended').flatMap(({ block }) =>
    block.type === 'tool_use' && block.input.file_path !== '/a/long/enough/path.txt' ? [block] : [],
  );
}
