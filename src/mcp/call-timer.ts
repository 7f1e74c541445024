import type { Clock } from '../lib/clock.ts';

/** The upper limit, however much progress a server reports. */
export const maxCallMs = 60 * 60_000;

/** The time that a call may take, by our own clock; progress extends it, within reason. */
export class CallTimer {
  isOver = false;
  readonly #controller = new AbortController();
  readonly #start: number;
  readonly #wanted: AbortSignal;
  readonly #abort = () => this.#controller.abort();
  #cancel = () => {};

  constructor(
    private readonly clock: Clock,
    readonly ms: number,
    wanted: AbortSignal,
  ) {
    this.#wanted = wanted;
    this.#start = clock.monotonic();
    wanted.addEventListener('abort', this.#abort, { once: true });
    if (wanted.aborted) this.#abort();
    this.extend();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  extend(): void {
    this.#cancel();
    const left = Math.min(this.ms, Math.max(this.ms, maxCallMs) - (this.clock.monotonic() - this.#start));
    this.#cancel = this.clock.after(Math.max(0, left), () => {
      this.isOver = true;
      this.#controller.abort();
    });
  }

  /** Rejects when the time is over, whatever the work does. */
  bound<T>(work: Promise<T>): Promise<T> {
    work.catch(() => {});
    const { signal } = this;
    if (signal.aborted) return Promise.reject(new Error('interrupted'));
    return new Promise((resolve, reject) => {
      const stop = () => reject(new Error('interrupted'));
      signal.addEventListener('abort', stop, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  stop(): void {
    this.#cancel();
    this.#wanted.removeEventListener('abort', this.#abort);
  }
}
