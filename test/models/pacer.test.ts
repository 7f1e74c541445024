import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { Pacer } from '../../src/models/pacer/pacer.ts';
import { withPacer } from '../../src/models/pacer/with-pacer.ts';
import type { Model, ModelEvent, ModelFailure } from '../../src/protocol/index.ts';
import { failWith, say, scriptedModel, type Turn, type TurnMaker } from '../../src/testing/index.ts';
import { busy, collect, drive, heldModel, limited, only, requestOf, settle } from './pacer-support.ts';

function paced(turns: Turn[] | TurnMaker, { random = 0, maxAttempts = 10 } = {}) {
  const clock = manualClock();
  const scripted = scriptedModel(turns);
  const pacer = new Pacer({ clock, random: () => random });
  return { clock, scripted, model: withPacer(scripted, pacer, { maxAttempts }) };
}

test('a request that nothing stands in the way of goes out at once, without a word', async () => {
  const { model, clock } = paced([say('hello')]);
  const events = await collect(model);
  expect(events.map((event) => event.type)).toEqual([
    'response_started',
    'block_started',
    'block_delta',
    'block_ended',
    'response_ended',
  ]);
  expect(clock.untilNext()).toBeUndefined();
});

test('G6: overload is waited out, longer each time, and each new attempt is told', async () => {
  const { model, clock, scripted } = paced([failWith(busy), failWith(busy), failWith(busy), say('at last')]);
  const events = await drive(clock, collect(model));
  expect(only(events, 'request_retried').map(({ delayMs }) => delayMs)).toEqual([500, 800, 1_280]);
  expect(events.at(-1)?.type).toBe('response_ended');
  scripted.assertConsumed();
});

test('G6: the time a provider names is waited in full, chance only adds to it', async () => {
  const { model, clock } = paced([failWith(limited), say('ok')], { random: 1 });
  const events = await drive(clock, collect(model));
  expect(only(events, 'request_retried').map(({ delayMs }) => delayMs)).toEqual([9_000]);
  expect(clock.monotonic()).toBe(9_000);
});

test('G6: a refusal never becomes a failure, however often it comes', async () => {
  let refusals = 200;
  const { model, clock, scripted } = paced(() => (refusals-- > 0 ? failWith(busy) : say('at last')));
  const events = await drive(clock, collect(model));
  expect(events.at(-1)?.type).toBe('response_ended');
  expect(scripted.requests).toHaveLength(201);
});

test('a failing server is tried again up to a maximum, then the failure is a value', async () => {
  const broken: ModelFailure = { kind: 'server', message: 'broken', status: 500 };
  const { model, clock, scripted } = paced(() => failWith(broken), { maxAttempts: 3 });
  const events = await drive(clock, collect(model));
  expect(only(events, 'request_retried').map(({ delayMs }) => delayMs)).toEqual([500, 1_000]);
  expect(events.at(-1)).toEqual({ type: 'response_failed', failure: broken });
  expect(scripted.requests).toHaveLength(3);
});

test('an answer that makes no sense is asked for again twice, at once', async () => {
  const malformed: ModelFailure = { kind: 'malformed', message: 'no JSON' };
  const { model, scripted } = paced(() => failWith(malformed));
  const events = await collect(model);
  expect(only(events, 'request_retried').map(({ delayMs }) => delayMs)).toEqual([0, 0]);
  expect(events.at(-1)).toEqual({ type: 'response_failed', failure: malformed });
  expect(scripted.requests).toHaveLength(3);
});

for (const kind of ['authentication', 'invalid_request', 'context_overflow'] as const) {
  test(`${kind} is not tried again`, async () => {
    const { model } = paced([failWith({ kind, message: 'no' })]);
    expect(await collect(model)).toEqual([{ type: 'response_failed', failure: { kind, message: 'no' } }]);
  });
}

test('G6: a limit after the first block holds all requests, and its own is sent again', async () => {
  const clock = manualClock();
  const answered = scriptedModel([say('whole'), say('other')]);
  let attempts = 0;
  const breaking: Model = {
    ...answered,
    async *stream(request, signal) {
      if (attempts++ > 0) return yield* answered.stream(request, signal);
      yield { type: 'response_started', id: 'a', model: 'b' };
      yield { type: 'block_started', index: 0, block: { type: 'text', text: '' } };
      yield { type: 'response_failed', failure: limited };
    },
  };
  const model = withPacer(breaking, new Pacer({ clock, random: () => 0 }));
  const first = collect(model);
  await settle();
  const second = collect(model);
  const events = await drive(clock, first);
  expect(only(events, 'request_retried')).toMatchObject([{ attempt: 1, delayMs: 8_000, failure: limited }]);
  expect(events.at(-1)?.type).toBe('response_ended');
  expect(only(await drive(clock, second), 'request_waited')).toMatchObject([
    { reason: 'Rate limit: scripted/model accepts requests again in 8 s' },
  ]);
});

test('an abort while waiting ends the wait at once and frees the place', async () => {
  const { model, clock, scripted } = paced([failWith(limited), say('for the other')]);
  const controller = new AbortController();
  const events: ModelEvent[] = [];
  for await (const event of model.stream(requestOf(), controller.signal)) {
    events.push(event);
    controller.abort();
  }
  expect(events.at(-1)).toMatchObject({ type: 'response_failed', failure: { kind: 'aborted' } });
  expect(clock.untilNext()).toBeUndefined();
  const other = await drive(clock, collect(model));
  expect(other.at(-1)?.type).toBe('response_ended');
  scripted.assertConsumed();
});

test('G6: when one is told to wait, all are: none is sent before the time is over', async () => {
  const clock = manualClock();
  const held = heldModel();
  const model = withPacer(held, new Pacer({ clock, random: () => 0 }));
  const all = Promise.all(Array.from({ length: 3 }, () => collect(model)));
  await settle();
  held.refuse(limited);
  held.answer();
  held.answer();
  await settle();
  const late = collect(model);
  clock.advance(7_999);
  await settle();
  expect(held.sent).toHaveLength(3);
  const answering = setInterval(() => held.answer(), 1);
  await drive(clock, Promise.all([all, late]));
  clearInterval(answering);
  expect(held.sent).toHaveLength(5);
});

test('G6: a slow owner does not send on a permit that a later refusal has overtaken', async () => {
  const clock = manualClock();
  const held = heldModel();
  const model = withPacer(held, new Pacer({ clock, random: () => 0 }));
  const all = Promise.all(Array.from({ length: 4 }, () => collect(model)));
  await settle();
  held.refuse(limited);
  for (let others = 0; others < 3; others++) held.answer();
  await settle();
  const slow = model.stream(requestOf(), new AbortController().signal)[Symbol.asyncIterator]();
  expect((await slow.next()).value).toMatchObject({ type: 'request_waited' });
  clock.advance(9_000);
  await settle();
  expect(held.sent).toHaveLength(5);
  held.refuse(limited);
  await settle();
  const next = slow.next();
  await settle();
  expect(held.sent).toHaveLength(5);
  expect((await next).value).toMatchObject({ type: 'request_waited' });
  const rest = slow.next();
  const answering = setInterval(() => held.answer(), 1);
  await drive(clock, Promise.all([all, rest]));
  clearInterval(answering);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(17_000);
});

test('more than a few at once start one after the other, and the wait is told', async () => {
  const clock = manualClock();
  const held = heldModel();
  const model = withPacer(held, new Pacer({ clock, random: () => 0, start: 2 }));
  const waits: ModelEvent[] = [];
  const runs = Array.from({ length: 6 }, async () => {
    for await (const event of model.stream(requestOf(), new AbortController().signal))
      if (event.type === 'request_waited') waits.push(event);
  });
  await settle();
  expect(held.sent).toHaveLength(2);
  expect(waits[0]).toMatchObject({
    reason: 'waiting for a turn: 2 requests to held/model in progress, 1 before this one',
  });
  clock.advance(50);
  await settle();
  expect(held.sent).toHaveLength(3);
  held.answer();
  held.answer();
  await settle();
  expect(held.sent.length).toBeGreaterThan(4);
  const answering = setInterval(() => held.answer(), 1);
  await drive(clock, Promise.all(runs));
  clearInterval(answering);
});

test('a request that alone is refused every time does not stop the others', async () => {
  const clock = manualClock();
  const poison = 'too large for this account';
  const scripted = scriptedModel((request) =>
    request.system[0] === poison ? failWith({ ...limited, retryAfterMs: 1_000 }) : say('ok'),
  );
  const model = withPacer(scripted, new Pacer({ clock, random: () => 0 }));
  const controller = new AbortController();
  const stuck = collect(model, { ...requestOf({ agentId: 'stuck' }), system: [poison] }, controller.signal);
  const others = Promise.all(
    Array.from({ length: 50 }, (_, index) => collect(model, requestOf({ agentId: `${index}` }))),
  );
  const ended = (await drive(clock, others)).map((events) => events.at(-1)?.type);
  expect(new Set(ended)).toEqual(new Set(['response_ended']));
  controller.abort();
  expect((await stuck).at(-1)).toMatchObject({ failure: { kind: 'aborted' } });
});

test('reported limits are kept: with nothing left, the next request waits for its part of the window', async () => {
  const clock = manualClock(1_000_000);
  const inner = scriptedModel(() => say('ok'));
  const sentAt: number[] = [];
  const reporting: Model = {
    ...inner,
    async *stream(request, signal) {
      sentAt.push(clock.monotonic());
      const requests = { limit: 10, remaining: 0, resetsAt: clock.now() + 20_000 };
      yield { type: 'limits_reported', limits: { requests } };
      yield* inner.stream(request, signal);
    },
  };
  const model = withPacer(reporting, new Pacer({ clock, random: () => 0 }));
  await collect(model);
  const events = await drive(clock, collect(model));
  expect(sentAt).toEqual([0, 2_000]);
  expect(only(events, 'request_waited')).toEqual([
    {
      type: 'request_waited',
      reason: 'Rate limit: scripted/model has no requests left for 2 s',
      delayMs: 2_000,
    },
  ]);
});

test('a reset that is said to be days away is believed for ten minutes', async () => {
  const clock = manualClock(1_000_000);
  const inner = scriptedModel(() => say('ok'));
  const reporting: Model = {
    ...inner,
    async *stream(request, signal) {
      const requests = { remaining: 0, resetsAt: clock.now() + 86_400_000 };
      yield { type: 'limits_reported', limits: { requests } };
      yield* inner.stream(request, signal);
    },
  };
  const model = withPacer(reporting, new Pacer({ clock, random: () => 0 }));
  await collect(model);
  await drive(clock, collect(model));
  expect(clock.monotonic()).toBe(600_000);
});

test('a wait longer than the longest that was allowed is announced, and given up', async () => {
  const clock = manualClock();
  const pacer = new Pacer({ clock, random: () => 0 });
  const model = withPacer(scriptedModel([failWith(limited)]), pacer, { maxWaitMs: 5_000 });
  const [retried, waited, failed] = await collect(model);
  expect(retried).toMatchObject({ type: 'request_retried', delayMs: 8_000, isLast: true });
  expect(waited).toMatchObject({ type: 'request_waited', suspended: { until: 8_000 } });
  const failure = {
    kind: 'rate_limited',
    message: 'Rate limit: scripted/model accepts requests again in 8 s',
    resetsAt: 8_000,
  };
  expect(failed).toMatchObject({ type: 'response_failed', failure });
  expect((await collect(model)).map(({ type }) => type)).toEqual(['request_waited', 'response_failed']);
  expect(clock.untilNext()).toBeUndefined();
});

test('models of one id that are asked elsewhere or with another key are paced apart', async () => {
  const clock = manualClock();
  const pacer = new Pacer({ clock, random: () => 0 });
  const options = { maxWaitMs: 5_000 };
  const scripted = scriptedModel([failWith(limited), say('free')]);
  await collect(withPacer({ ...scripted, limitGroup: 'a' }, pacer, options));
  const free = await collect(withPacer({ ...scripted, limitGroup: 'b' }, pacer, options));
  expect(free.at(-1)?.type).toBe('response_ended');
});
