import type { ManualClock } from '../../src/lib/clock.ts';

/** Lets a clock go from timer to timer until some work with real processes is done. */
export async function passTime<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const settle = () => {
    isDone = true;
  };
  work.then(settle, settle);
  while (!isDone) {
    clock.advance(clock.untilNext() ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return work;
}
