import type { Clock } from '../lib/clock.ts';

/**
 * Time that stops between the steps of a tape: while recording it moves to the real time of each step, in a replay to
 * the recorded one. So both runs read the same times, however fast they are.
 */
export interface SteppedClock extends Clock {
  readonly elapsed: number;
  /** Milliseconds since the start; never goes back. */
  moveTo(elapsed: number): void;
}

/**
 * `schedule` says when the n-th timer is over, by the real time or by the tape; it returns a function that cancels it.
 */
export function steppedClock(
  startedAt: number,
  schedule: (timer: number, ms: number, callback: () => void) => () => void,
): SteppedClock {
  let elapsed = 0;
  let timers = 0;
  return {
    get elapsed() {
      return elapsed;
    },
    now: () => startedAt + elapsed,
    monotonic: () => elapsed,
    after: (ms, callback) => schedule(++timers, Math.max(0, ms), callback),
    moveTo(to) {
      elapsed = Math.max(elapsed, to);
    },
  };
}

/** Lets everything that the last step started run until it waits again, before the next step comes. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
