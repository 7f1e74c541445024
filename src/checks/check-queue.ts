import type { CheckOutcome } from './types.ts';

/** A project has four checks: all of them run side by side. */
const maxRunning = 4;

type Work = (signal: AbortSignal) => Promise<CheckOutcome>;

interface Job {
  key: string;
  work: Work;
  controller: AbortController;
  outcome: PromiseWithResolvers<CheckOutcome>;
  askers: number;
}

/**
 * Bounds how many checks run at the same time. The same check never runs twice at once, and one run answers all who asked before
 * it began: it sees every change that was made before they asked. However many agents of a run ask, the machine stays usable.
 */
export class CheckQueue {
  readonly #waiting: Job[] = [];
  readonly #running = new Set<string>();

  constructor(private readonly max = maxRunning) {}

  /** `key`: the check, its command and its directory. Rejects when `signal` aborts before an outcome is there. */
  async run(key: string, signal: AbortSignal, work: Work): Promise<CheckOutcome> {
    signal.throwIfAborted();
    const job = this.#waiting.find((one) => one.key === key) ?? this.#add(key, work);
    job.askers++;
    this.#begin();
    const aborted = Promise.withResolvers<never>();
    const leave = () => {
      aborted.reject(signal.reason);
      this.#leave(job, signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([job.outcome.promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #add(key: string, work: Work): Job {
    const outcome = Promise.withResolvers<CheckOutcome>();
    const job = { key, work, controller: new AbortController(), outcome, askers: 0 };
    // All who asked may have left.
    outcome.promise.catch(() => {});
    this.#waiting.push(job);
    return job;
  }

  /** Its result is no longer needed: it is not begun, or stopped. */
  #leave(job: Job, reason: unknown): void {
    if (--job.askers > 0) return;
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    job.controller.abort(reason);
  }

  #begin(): void {
    for (;;) {
      const at = this.#waiting.findIndex(({ key }) => !this.#running.has(key));
      const job = this.#running.size < this.max ? this.#waiting[at] : undefined;
      if (!job) return;
      this.#waiting.splice(at, 1);
      this.#running.add(job.key);
      void this.#work(job);
    }
  }

  async #work({ key, work, controller, outcome }: Job): Promise<void> {
    try {
      outcome.resolve(await work(controller.signal));
    } catch (error) {
      outcome.reject(error);
    } finally {
      this.#running.delete(key);
      this.#begin();
    }
  }
}
