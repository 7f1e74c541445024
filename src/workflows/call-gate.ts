import type { RunHalt } from './call-runner.ts';

export interface GateLimits {
  maxConcurrent: number;
  /** Above this many agents the user is asked once. */
  askAboveAgents: number;
}

/** A place in the gate: it may start, or why it may not. */
export type Passed = { may: true; leave(): void } | { may: false; halt: RunHalt };

interface Waiting {
  signal: AbortSignal;
  settle(passed: Passed): void;
}

/**
 * Lets calls of a run begin: a few at a time, none while the provider accepts nothing, none after a halt, and above a number
 * of agents only with the user's consent. Calls that come together are counted together before the first begins.
 */
export class CallGate {
  readonly #waiting = new Set<Waiting>();
  readonly #suspended = new Set<object>();
  readonly #closing = Promise.withResolvers<void>();
  #running = 0;
  #started = 0;
  #allowed: number;
  #halt: RunHalt | undefined;
  #isScheduled = false;
  #isAsking = false;
  #isHeld = false;

  constructor(
    private readonly limits: GateLimits,
    allowed: number,
    private readonly askForMore: (agents: number) => Promise<RunHalt | undefined>,
  ) {
    this.#allowed = Math.max(limits.askAboveAgents, allowed);
  }

  get closed(): Promise<void> {
    return this.#closing.promise;
  }

  get halt(): RunHalt | undefined {
    return this.#halt;
  }

  /** Waits for its turn. Stopped calls leave at once. */
  enter(signal: AbortSignal): Promise<Passed> {
    return new Promise((resolve) => {
      const stop = () => one.settle({ may: false, halt: { reason: describeStop(signal) } });
      const one: Waiting = {
        signal,
        settle: (passed) => {
          signal.removeEventListener('abort', stop);
          this.#waiting.delete(one);
          resolve(passed);
        },
      };
      this.#waiting.add(one);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      else this.#schedule();
    });
  }

  /** Nothing more begins, ever. */
  close(halt: RunHalt): void {
    this.#halt ??= halt;
    this.#closing.resolve();
    for (const one of [...this.#waiting]) one.settle({ may: false, halt: this.#halt });
  }

  /** While the program is making calls none begins, so that all of them are counted first. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#schedule();
  }

  /** While any call waits for its provider, no other one begins. */
  suspend(call: object, isSuspended: boolean): void {
    if (isSuspended) this.#suspended.add(call);
    else this.#suspended.delete(call);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      void this.#admit();
    });
  }

  async #admit(): Promise<void> {
    if (this.#halt) return this.close(this.#halt);
    if (this.#isHeld || this.#isAsking || this.#suspended.size > 0) return;
    const wanted = this.#started + this.#waiting.size;
    if (wanted > this.#allowed && this.#waiting.size > 0) {
      this.#isAsking = true;
      const refusal = await this.askForMore(wanted);
      this.#isAsking = false;
      // Asked once per run: more agents of the same program are part of the answer.
      this.#allowed = Number.POSITIVE_INFINITY;
      if (refusal) return this.close(refusal);
    }
    for (const one of [...this.#waiting]) {
      const isFull = this.#running >= this.limits.maxConcurrent;
      if (isFull || this.#isHeld || this.#suspended.size > 0 || this.#halt) return;
      this.#running++;
      this.#started++;
      one.settle({ may: true, leave: once(() => this.#leave()) });
    }
  }

  #leave(): void {
    this.#running--;
    this.#schedule();
  }
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

export function describeStop({ reason }: AbortSignal): string {
  return typeof reason === 'string' ? reason : 'The run was stopped.';
}
