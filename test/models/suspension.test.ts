import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { memoryLedger } from '../../src/models/budget/ledger.ts';
import { withBudget } from '../../src/models/budget/with-budget.ts';
import { parseNote } from '../../src/models/pacer/note.ts';
import { Pacer } from '../../src/models/pacer/pacer.ts';
import { memoryPacing } from '../../src/models/pacer/store.ts';
import { withPacer } from '../../src/models/pacer/with-pacer.ts';
import type { ModelFailure } from '../../src/protocol/index.ts';
import { failWith, say, scriptedModel } from '../../src/testing/index.ts';
import { accountWith, plainPrice } from './budget-support.ts';
import { collect, drive, heldModel, only, requestOf, settle } from './pacer-support.ts';

const hour = 3_600_000;
const quota: ModelFailure = {
  kind: 'rate_limited',
  message: 'Your five-hour limit is used up.',
  status: 429,
  retryAfterMs: 5 * hour,
};

test('G13 a limit that resets in hours suspends: the reason and the time are reported, and so is the end', async () => {
  const clock = manualClock();
  const pacer = new Pacer({ clock, random: () => 0 });
  const events = await drive(clock, collect(withPacer(scriptedModel([failWith(quota), say('ok')]), pacer)));
  const [suspended, over] = only(events, 'request_waited');
  expect(suspended).toMatchObject({
    delayMs: 5 * hour,
    reason: expect.stringMatching(/^Suspended until .* \(in 5 h\): Your five-hour limit is used up\. /),
    suspended: { model: 'scripted/model', reason: quota.message, until: 5 * hour },
  });
  expect(over).toMatchObject({ isOver: true });
  expect(events.at(-1)?.type).toBe('response_ended');
  expect(clock.now()).toBe(5 * hour);
});

test('G13 all requests that wait for the same limit are told', async () => {
  const clock = manualClock();
  const model = heldModel();
  const paced = withPacer(model, new Pacer({ clock, random: () => 0, start: 1 }));
  const both = [collect(paced), collect(paced)];
  await settle();
  model.refuse(quota);
  await settle();
  clock.advance(5 * hour);
  for (let answered = 0; answered < 2; answered++) {
    await settle();
    model.answer();
    clock.advance(1_000);
  }
  const told = (await drive(clock, Promise.all(both))).map((events) =>
    only(events, 'request_waited').filter(({ suspended }) => suspended?.until === 5 * hour),
  );
  expect(told.map(({ length }) => length)).toEqual([1, 1]);
  expect(model.sent).toHaveLength(3);
});

test('G13 a later process knows the limit, its reason and its reset, and sends nothing before it', async () => {
  const clock = manualClock();
  const pacing = memoryPacing();
  const first = pacing.join();
  const model = scriptedModel([failWith(quota), say('ok')]);
  const given = await collect(
    withPacer(model, new Pacer({ clock, random: () => 0, store: first }), { maxWaitMs: 1_000 }),
  );
  expect(given.at(-1)).toMatchObject({ type: 'response_failed', failure: { resetsAt: 5 * hour } });
  first.die();
  clock.advance(hour);
  const later = withPacer(model, new Pacer({ clock, random: () => 0, store: pacing.join() }));
  const events = await drive(clock, collect(later));
  expect(events[0]).toMatchObject({ type: 'request_waited', suspended: { reason: quota.message } });
  expect(clock.now()).toBeGreaterThanOrEqual(5 * hour);
  expect(events.at(-1)?.type).toBe('response_ended');
});

test('G13 the bound holds for all suspensions of a request together', async () => {
  const clock = manualClock();
  const pacer = new Pacer({ clock, random: () => 0 });
  const model = withPacer(
    scriptedModel(() => failWith(quota)),
    pacer,
    { maxWaitMs: 6 * hour },
  );
  const events = await drive(clock, collect(model));
  expect(only(events, 'request_retried')).toHaveLength(2);
  expect(events.at(-1)).toMatchObject({
    type: 'response_failed',
    failure: { kind: 'rate_limited', resetsAt: 10 * hour, unsent: true },
  });
});

test('a suspension that is over by the wall clock is over, although the machine slept', async () => {
  const clock = manualClock();
  let slept = 0;
  const wall = { ...clock, now: () => clock.now() + slept };
  const model = scriptedModel([failWith(quota), say('ok')]);
  const work = collect(withPacer(model, new Pacer({ clock: wall, random: () => 0 })));
  await settle();
  slept = 5 * hour;
  await drive(clock, work);
  expect(clock.monotonic()).toBeLessThanOrEqual(60_000);
});

test('a used-up quota says nothing about the pace: after its reset there is none', async () => {
  const clock = manualClock();
  const pacer = new Pacer({ clock, random: () => 0 });
  let isReset = false;
  const model = withPacer(
    scriptedModel(() => (isReset ? say('ok') : failWith(quota))),
    pacer,
    { maxWaitMs: 1 },
  );
  await collect(model);
  isReset = true;
  clock.advance(5 * hour);
  await collect(model);
  const at = clock.now();
  await drive(clock, Promise.all(Array.from({ length: 8 }, () => collect(model))));
  expect(clock.now() - at).toBeLessThan(1_000);
});

test('G13 a suspended request gives its reservation back, and reserves again before it is sent', async () => {
  const clock = manualClock();
  const ledger = memoryLedger();
  const account = accountWith({ tokens: 100_000 }, ledger, clock);
  const inner = { ...scriptedModel([failWith(quota), say('ok')]), id: 'test/model' };
  const pacer = new Pacer({ clock, random: () => 0 });
  const model = withBudget(withPacer(inner, pacer), account, { overrides: plainPrice });
  const work = collect(model, requestOf());
  await settle();
  expect([...ledger.books.open]).toEqual([]);
  const events = await drive(clock, work);
  expect(events.at(-1)?.type).toBe('response_ended');
  expect([...ledger.books.open]).toEqual([]);
  expect(account.report()).toMatchObject({ rows: [{ requests: 1 }] });
});

for (const status of [500, 502, 408])
  test(`G13 a wait of an hour that comes with ${status} suspends like any other`, async () => {
    const clock = manualClock();
    const failure: ModelFailure = { kind: 'server', message: 'Maintenance.', status, retryAfterMs: hour };
    const paced = withPacer(scriptedModel([failWith(failure)]), new Pacer({ clock, random: () => 0 }), {
      maxWaitMs: 600_000,
    });
    const events = await collect(paced);
    expect(only(events, 'request_waited')[0]).toMatchObject({ suspended: { until: hour } });
    expect(events.at(-1)).toMatchObject({ type: 'response_failed', failure: { resetsAt: hour } });
  });

test('a wait of any length stays within a month, in the process that was told and in others', async () => {
  const clock = manualClock();
  const pacing = memoryPacing();
  const endless = { ...quota, retryAfterMs: 1e23 };
  const given = await collect(
    withPacer(
      scriptedModel([failWith(endless)]),
      new Pacer({ clock, random: () => 1, store: pacing.join() }),
      { maxWaitMs: 1_000 },
    ),
  );
  const month = 32 * 24 * hour;
  expect(given.at(-1)).toMatchObject({ failure: { resetsAt: month } });
  expect(JSON.stringify(given)).not.toContain('NaN');
  const poisoned = JSON.stringify({ sessions: 1, hold: { at: 0, delayMs: 1e15, cause: 'rate_limited' } });
  expect(parseNote(poisoned)?.hold).toBeUndefined();
});
