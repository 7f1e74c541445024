import type { Clock } from '../../lib/clock.ts';
import type { ModelEvent, ModelFailure } from '../../protocol/index.ts';
import { maxPacedMs } from './note.ts';
import type { PacerWait } from './ticket.ts';

type Waited = Extract<ModelEvent, { type: 'request_waited' }>;

/**
 * How long one request waits for limits to reset. A wait that is longer than pacing, or than it may be, is a suspension;
 * all suspensions of the request together, from the beginning of the first, stay within the bound.
 */
export class Patience {
  #since: number | undefined;
  #isSuspended = false;

  constructor(
    private readonly model: string,
    private readonly clock: Clock,
    private readonly maxWaitMs: number,
  ) {}

  /** Whether a suspension was announced whose end was not. */
  get isSuspended(): boolean {
    return this.#isSuspended;
  }

  isSuspension({ hold }: PacerWait): boolean {
    return hold !== undefined && hold.forMs > Math.min(maxPacedMs, this.maxWaitMs);
  }

  announce(wait: PacerWait): Waited {
    const { reason, delayMs, hold } = wait;
    if (!hold || !this.isSuspension(wait)) return { type: 'request_waited', reason, delayMs };
    this.#since ??= this.clock.monotonic();
    this.#isSuspended = true;
    const suspended = { model: this.model, reason: hold.reason, until: hold.until };
    return { type: 'request_waited', reason, delayMs, suspended };
  }

  announceEnd(): Waited {
    this.#isSuspended = false;
    return { type: 'request_waited', reason: 'The request is sent.', delayMs: 0, isOver: true };
  }

  /** The failure of a request whose wait would take too long; undefined while it is worth waiting. */
  giveUp({ reason, hold }: PacerWait): ModelFailure | undefined {
    if (!hold) return undefined;
    const now = this.clock.monotonic();
    if (now - (this.#since ?? now) + hold.forMs <= this.maxWaitMs) return undefined;
    return { kind: 'rate_limited', message: reason, resetsAt: hold.until, unsent: true };
  }
}
