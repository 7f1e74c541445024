import type { Clock } from '../../lib/clock.ts';

const slice = { workMs: 1, restMs: 2, hurriedMs: 8, wayMs: 15 };

/**
 * Long work in the background: a millisecond at a time, so that nothing else waits for it, and hardly any while a command is
 * started or its result is sent. It hurries once a caller waits for it, and stops with the reason of the signal.
 */
export class BackgroundPace {
  #since: number;
  #steps = 0;
  #hurried = 0;
  /** Something else has the processor until then. */
  #busyUntil = Number.NEGATIVE_INFINITY;
  readonly #sleepers = new Set<() => void>();

  constructor(
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {
    this.#since = clock.monotonic();
  }

  /** To be awaited after each short step. */
  step(): Promise<void> | undefined {
    // Reading the clock costs as much as a stat.
    if (++this.#steps % 16 !== 0) return undefined;
    this.signal.throwIfAborted();
    const spent = this.clock.monotonic() - this.#since;
    if (spent < (this.#hurried > 0 ? slice.hurriedMs : slice.workMs)) return undefined;
    return this.rest();
  }

  async rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#hurried > 0) {
        setImmediate(resolve);
        return;
      }
      const wayMs = this.#busyUntil - this.clock.monotonic();
      const cancel = this.clock.after(Math.max(slice.restMs, wayMs), () => wake());
      const wake = () => {
        cancel();
        this.#sleepers.delete(wake);
        resolve();
      };
      this.#sleepers.add(wake);
    });
    this.#since = this.clock.monotonic();
  }

  /** For work that somebody waits for: the next rest is longer. Each rest is, so where this is called all the time it is slow. */
  giveWay(): void {
    this.#busyUntil = this.clock.monotonic() + slice.wayMs;
  }

  async hurry<T>(act: () => Promise<T>): Promise<T> {
    this.#hurried++;
    for (const wake of this.#sleepers) wake();
    try {
      return await act();
    } finally {
      this.#hurried--;
    }
  }

  /** Amount of work done so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Resolves when the work is done, or after this time. */
  atMost(limitMs: number, work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.clock.after(limitMs, resolve);
      const done = () => {
        cancel();
        resolve();
      };
      work.then(done, done);
    });
  }
}

/** Work that is done one after the other. */
export class SerialWork {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  get isTaken(): boolean {
    return this.#waiting > 0;
  }

  async take(act: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(act);
    this.#last = mine.catch(() => undefined);
    this.#waiting++;
    try {
      await mine;
    } finally {
      this.#waiting--;
    }
  }
}
