import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { seededRandom } from '../proof/random.ts';

test('timers fire in order of their time, those of one moment in the order of their making', () => {
  const random = seededRandom(7);
  const clock = manualClock(1_000);
  const expected: { due: number; order: number }[] = [];
  const fired: typeof expected = [];
  for (let order = 0; order < 500; order++) {
    const timer = { due: random.below(50), order };
    const cancel = clock.after(timer.due, () => fired.push(timer));
    if (random.below(3) === 0) cancel();
    else expected.push(timer);
  }
  clock.advance(50);
  expect(fired).toEqual(expected.sort((a, b) => a.due - b.due || a.order - b.order));
  expect(clock.now()).toBe(1_050);
  expect(clock.untilNext()).toBeUndefined();
});

test('a timer sees its own time, and one that it sets fires in the same advance when it falls due', () => {
  const clock = manualClock();
  const seen: number[] = [];
  const cancelled = clock.after(15, () => seen.push(-1));
  clock.after(10, () => {
    seen.push(clock.monotonic());
    cancelled();
    clock.after(10, () => seen.push(clock.monotonic()));
  });
  expect(clock.untilNext()).toBe(10);
  clock.advance(25);
  expect(seen).toEqual([10, 20]);
  expect(clock.monotonic()).toBe(25);
});
