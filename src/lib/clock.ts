/** Time as a value, so that tests control it. Durations use `monotonic`: the wall clock may jump. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. For records, never for durations. */
  now(): number;
  monotonic(): number;
  /** Calls back once; the returned function cancels. Until then it keeps the process alive, unless it is in the background. */
  after(ms: number, callback: () => void, how?: 'in the background'): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, how) {
    const timer = setTimeout(callback, ms);
    if (how) timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface ManualClock extends Clock {
  /** Advances time, firing due timers in order. */
  advance(ms: number): void;
  /** Milliseconds until the next timer is due; undefined when there is none. */
  untilNext(): number | undefined;
}

/** The test clock: time moves only by `advance`. */
export function manualClock(start = 0): ManualClock {
  let elapsed = 0;
  const timers = new TimerHeap();
  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after(ms, callback) {
      const timer = timers.add(elapsed + Math.max(0, ms), callback);
      return () => {
        timer.callback = undefined;
      };
    },
    untilNext() {
      const next = timers.first();
      return next && Math.max(0, next.due - elapsed);
    },
    advance(ms) {
      const end = elapsed + ms;
      for (let next = timers.first(); next && next.due <= end; next = timers.first()) {
        const { callback } = next;
        next.callback = undefined;
        elapsed = Math.max(elapsed, next.due);
        callback?.();
      }
      elapsed = end;
    },
  };
}

interface Timer {
  due: number;
  order: number;
  /** Undefined once it fired or was cancelled. */
  callback: (() => void) | undefined;
}

/** A binary heap, so that thousands of timers stay cheap. Timers due at the same time fire in order of creation. */
class TimerHeap {
  readonly #timers: Timer[] = [];
  #made = 0;

  add(due: number, callback: () => void): Timer {
    const timer = { due, order: this.#made++, callback };
    let at = this.#timers.length;
    for (let above = (at - 1) >> 1; at > 0 && this.#isBefore(timer, above); above = (at - 1) >> 1) {
      this.#move(above, at);
      at = above;
    }
    this.#timers[at] = timer;
    return timer;
  }

  first(): Timer | undefined {
    while (this.#timers[0] && !this.#timers[0].callback) this.#removeFirst();
    return this.#timers[0];
  }

  #removeFirst(): void {
    const last = this.#timers.pop();
    if (!last || this.#timers.length === 0) return;
    let at = 0;
    for (let below = this.#smallerBelow(0); !this.#isBefore(last, below); below = this.#smallerBelow(at)) {
      this.#move(below, at);
      at = below;
    }
    this.#timers[at] = last;
  }

  #smallerBelow(at: number): number {
    const left = 2 * at + 1;
    const right = this.#timers[left + 1];
    return right && this.#isBefore(right, left) ? left + 1 : left;
  }

  /** Also true where there is no timer. */
  #isBefore(timer: Timer, at: number): boolean {
    const other = this.#timers[at];
    return !other || timer.due < other.due || (timer.due === other.due && timer.order < other.order);
  }

  #move(from: number, to: number): void {
    const timer = this.#timers[from];
    if (timer) this.#timers[to] = timer;
  }
}

/** Resolves after `ms`, or at once when the signal fires: the caller checks the signal. */
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
