/** Time as a value, so that tests own it. Durations use `monotonic`: the wall clock may jump. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. For records, never for durations. */
  now(): number;
  monotonic(): number;
  /** Calls back once; the returned function cancels. Until then it keeps the process alive. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

export interface ManualClock extends Clock {
  /** Moves time on, firing what falls due, in order. */
  advance(ms: number): void;
}

/** The twin that stands still until it is told to move. */
export function manualClock(start = 0): ManualClock {
  let elapsed = 0;
  let sequence = 0;
  const timers = new Map<number, { due: number; callback: () => void }>();
  const nextDue = (limit: number) =>
    [...timers].filter(([, t]) => t.due <= limit).sort((a, b) => a[1].due - b[1].due || a[0] - b[0])[0];
  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after(ms, callback) {
      const id = sequence++;
      timers.set(id, { due: elapsed + Math.max(0, ms), callback });
      return () => timers.delete(id);
    },
    advance(ms) {
      const end = elapsed + ms;
      for (let next = nextDue(end); next; next = nextDue(end)) {
        timers.delete(next[0]);
        elapsed = Math.max(elapsed, next[1].due);
        next[1].callback();
      }
      elapsed = end;
    },
  };
}

/** Resolves after `ms`, or at once when the signal fires: the caller looks at the signal. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
