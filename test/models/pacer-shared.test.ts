import { expect, test } from 'bun:test';
import { type Clock, type ManualClock, manualClock } from '../../src/lib/clock.ts';
import type { PacingNote } from '../../src/models/pacer/note.ts';
import { Pacer } from '../../src/models/pacer/pacer.ts';
import { memoryPacing, type PacerStore } from '../../src/models/pacer/store.ts';
import { withPacer } from '../../src/models/pacer/with-pacer.ts';
import { failWith, say, scriptedModel } from '../../src/testing/index.ts';
import { collect, drive, limited, only, requestOf, settle } from './pacer-support.ts';

function processOf(store: PacerStore, clock: Clock) {
  return new Pacer({ clock, random: () => 0, store });
}

test('G6: what one process is told, another keeps to, although it starts later and the first is gone', async () => {
  const clock = manualClock(1_000_000);
  const hub = memoryPacing();
  const first = hub.join();
  const refused = withPacer(scriptedModel([failWith(limited)]), processOf(first, clock));
  const controller = new AbortController();
  const gone = collect(refused, requestOf(), controller.signal);
  await settle();
  controller.abort();
  await gone;
  first.die();
  clock.advance(3_000);

  const scripted = scriptedModel([say('in time')]);
  const late = collect(withPacer(scripted, processOf(hub.join(), clock)));
  await settle();
  clock.advance(4_990);
  await settle();
  expect(scripted.requests).toHaveLength(0);
  const events = await drive(clock, late);
  expect(only(events, 'request_waited')[0]?.reason).toBe(
    'Rate limit: scripted/model accepts requests again in 5 s',
  );
  expect(clock.monotonic()).toBeGreaterThanOrEqual(8_000);
  expect(clock.monotonic()).toBeLessThan(8_010);
});

for (const [name, jump] of [
  ['back', -86_400_000],
  ['ahead', 86_400_000],
] as const) {
  test(`R15: a wall clock that jumps a day ${name} makes nobody wait longer than was asked for`, async () => {
    const clock = jumpingClock(manualClock(200_000_000));
    const hub = memoryPacing();
    const own = scriptedModel([failWith(limited), say('mine')]);
    const mine = collect(withPacer(own, processOf(hub.join(), clock)));
    await settle();
    clock.jump(jump);
    const theirs = collect(withPacer(scriptedModel([say('theirs')]), processOf(hub.join(), clock)));
    await drive(clock, Promise.all([mine, theirs]));
    expect(clock.monotonic()).toBeGreaterThanOrEqual(8_000);
    expect(clock.monotonic()).toBeLessThan(8_010);
  });
}

test('notes of the dead are kept while they say something, and no longer', () => {
  const clock = manualClock(1_000_000);
  const hub = memoryPacing();
  const said = (note: PacingNote) => {
    const dead = hub.join();
    dead.publish('m', note);
    dead.die();
  };
  const estimate = { window: 1, strikes: 1 };
  const hold = { at: 1_000_000, delayMs: 5_000, cause: 'rate_limited' as const };
  said({ sessions: 1, hold });
  said({ sessions: 1, estimate: { ...estimate, refusedAt: 999_000 } });
  said({ sessions: 1, estimate: { ...estimate, refusedAt: 998_000 } });
  said({ sessions: 1, estimate: { ...estimate, refusedAt: 1_000 } });
  const reader = hub.join();
  const lane = processOf(reader, clock).lane({ id: 'm' });
  lane.leave(enter());
  expect(reader.read('m').map((peer) => peer.note.hold?.at ?? peer.note.estimate?.refusedAt)).toEqual([
    1_000_000, 999_000,
  ]);
  clock.advance(700_000);
  said({ sessions: 0 });
  lane.leave(enter());
  expect(reader.read('m')).toEqual([]);

  function enter() {
    const ticket = lane.open({ sessionId: 's', agentId: null, priority: 'foreground' });
    lane.enter(ticket);
    return ticket;
  }
});

test('G6: what there is is shared by the number of sessions, and a process that dies leaves its part', async () => {
  const clock = manualClock(1_000_000);
  const hub = memoryPacing();
  const other = hub.join();
  // Ten per second, at the plateau of the curve, for four sessions, three of which are the other's.
  other.publish('scripted/model', {
    sessions: 3,
    estimate: { refusedAt: 980_000, window: 100, capacity: 10, strikes: 0 },
  });
  const scripted = scriptedModel(() => say('ok'));
  const model = withPacer(scripted, processOf(hub.join(), clock));
  await drive(clock, Promise.all(Array.from({ length: 6 }, () => collect(model, requestOf({})))));
  expect(clock.monotonic()).toBeGreaterThan(1_500);
  expect(clock.monotonic()).toBeLessThan(2_100);
  other.die();
  clock.advance(2_000);
  const before = clock.monotonic();
  await drive(clock, Promise.all(Array.from({ length: 6 }, () => collect(model, requestOf({})))));
  expect(clock.monotonic() - before).toBeLessThan(700);
});

function jumpingClock(clock: ManualClock): ManualClock & { jump(ms: number): void } {
  let offset = 0;
  return {
    ...clock,
    now: () => clock.now() + offset,
    jump: (ms) => {
      offset += ms;
    },
  };
}
