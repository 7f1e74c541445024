import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { Pacer } from '../../src/models/pacer/pacer.ts';
import { memoryPacing } from '../../src/models/pacer/store.ts';
import { withPacer } from '../../src/models/pacer/with-pacer.ts';
import { collect, heldModel, limited, requestOf, settle } from './pacer-support.ts';

type Pacing = ReturnType<typeof memoryPacing>;

/** A process that begins so many requests at once; how many are sent before any time has passed. */
async function begin(pacing: Pacing, clock: ReturnType<typeof manualClock>, count: number) {
  const model = heldModel();
  const store = pacing.join();
  const paced = withPacer(model, new Pacer({ clock, random: () => 0, store }));
  const all = Array.from({ length: count }, (_, index) =>
    collect(paced, requestOf({ sessionId: 's', agentId: `a${index}` })),
  );
  await settle();
  return { model, store, all, atOnce: model.sent.length };
}

async function finish(
  { model, store, all }: Awaited<ReturnType<typeof begin>>,
  clock: ReturnType<typeof manualClock>,
) {
  let isDone = false;
  void Promise.all(all).then(() => {
    isDone = true;
  });
  for (await settle(); !isDone; await settle()) {
    for (let open = model.sent.length; open > 0; open--) model.answer();
    await settle();
    clock.advance(clock.untilNext() ?? 0);
  }
  store.die();
}

test('G6: how many requests a provider accepts at once is remembered for the next process', async () => {
  const pacing = memoryPacing();
  const clock = manualClock();
  const first = await begin(pacing, clock, 64);
  expect(first.atOnce).toBe(8);
  await finish(first, clock);
  const second = await begin(pacing, clock, 64);
  expect(second.atOnce).toBe(64);
  await finish(second, clock);
});

test('it is forgotten after an hour', async () => {
  const pacing = memoryPacing();
  const clock = manualClock();
  await finish(await begin(pacing, clock, 64), clock);
  clock.advance(3_600_000);
  expect((await begin(pacing, clock, 64)).atOnce).toBe(8);
});

test('G6: a refusal takes it back, for every process and for good', async () => {
  const pacing = memoryPacing();
  const clock = manualClock();
  await finish(await begin(pacing, clock, 64), clock);
  clock.advance(1_000);
  const refused = await begin(pacing, clock, 2);
  refused.model.refuse(limited);
  await settle();
  refused.model.answer();
  await finish(refused, clock);
  const next = await begin(pacing, clock, 64);
  expect(next.atOnce).toBeLessThanOrEqual(8);
  // Also when the limit itself is no longer remembered.
  clock.advance(700_000);
  expect((await begin(pacing, clock, 64)).atOnce).toBeLessThanOrEqual(8);
});
