import { expect, test } from 'bun:test';
import { type ManualClock, manualClock } from '../../src/lib/clock.ts';
import { withRetry } from '../../src/models/retry.ts';
import type { Model, ModelEvent, ModelFailure, ModelRequest } from '../../src/protocol/index.ts';
import { failWith, say, scriptedModel } from '../../src/testing/index.ts';

const busy: ModelFailure = { kind: 'overloaded', message: 'busy', status: 529 };
const request: ModelRequest = {
  system: [],
  tools: [],
  messages: [],
  maxOutputTokens: 1,
  thinking: { type: 'off' },
};

test('G6: a passing failure is tried again, later each time, and each wait is told', async () => {
  const clock = manualClock();
  const scripted = scriptedModel([failWith(busy), failWith(busy), say('at last')]);
  const events = await collect(withRetry(scripted, { clock, random: () => 0 }), clock);
  expect(events.map((event) => event.type)).toEqual([
    'request_retried',
    'request_retried',
    'response_started',
    'block_started',
    'block_delta',
    'block_ended',
    'response_ended',
  ]);
  expect(delays(events)).toEqual([500, 1_000]);
  scripted.assertConsumed();
});

test('G6: the time a provider names is waited in full, jitter only adds to it', async () => {
  const clock = manualClock();
  const limited: ModelFailure = { kind: 'rate_limited', message: 'slow', retryAfterMs: 8_000 };
  const model = withRetry(scriptedModel([failWith(limited), say('ok')]), { clock, random: () => 1 });
  expect(delays(await collect(model, clock))).toEqual([10_000]);
});

test('it gives up after the last attempt with the failure as a value', async () => {
  const clock = manualClock();
  const scripted = scriptedModel(() => failWith(busy));
  const events = await collect(withRetry(scripted, { clock, random: () => 0, maxAttempts: 3 }), clock);
  expect(events.at(-1)).toEqual({ type: 'response_failed', failure: busy });
  expect(scripted.requests).toHaveLength(3);
});

for (const kind of ['authentication', 'invalid_request', 'context_overflow', 'malformed'] as const) {
  test(`${kind} is not tried again`, async () => {
    const clock = manualClock();
    const scripted = scriptedModel([failWith({ kind, message: 'no' })]);
    const events = await collect(withRetry(scripted, { clock, random: () => 0 }), clock);
    expect(events).toEqual([{ type: 'response_failed', failure: { kind, message: 'no' } }]);
  });
}

test('a failure after the first block is passed on, not tried again', async () => {
  const clock = manualClock();
  let asked = 0;
  const breaking: Model = {
    ...scriptedModel([]),
    async *stream() {
      asked++;
      yield { type: 'response_started', id: 'a', model: 'b' };
      yield { type: 'block_started', index: 0, block: { type: 'text', text: '' } };
      yield { type: 'response_failed', failure: busy };
    },
  };
  const events = await collect(withRetry(breaking, { clock, random: () => 0 }), clock);
  expect(events.map((event) => event.type)).toEqual(['response_started', 'block_started', 'response_failed']);
  expect(asked).toBe(1);
});

test('an abort while waiting ends at once', async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const events: ModelEvent[] = [];
  const model = withRetry(scriptedModel([failWith(busy)]), { clock, random: () => 0 });
  for await (const event of model.stream(request, controller.signal)) {
    events.push(event);
    controller.abort();
  }
  expect(events.at(-1)).toMatchObject({ type: 'response_failed', failure: { kind: 'aborted' } });
});

/** Moves the clock on by exactly what each retry says it waits. */
async function collect(model: Model, clock: ManualClock): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, new AbortController().signal)) {
    events.push(event);
    if (event.type === 'request_retried')
      queueMicrotask(() => setImmediate(() => clock.advance(event.delayMs)));
  }
  return events;
}

function delays(events: ModelEvent[]): number[] {
  return events.flatMap((event) => (event.type === 'request_retried' ? [event.delayMs] : []));
}
