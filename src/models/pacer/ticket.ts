import type { Asker, ModelFailure, ProviderLimits, Usage } from '../../protocol/index.ts';
import type { Waiting } from './turns.ts';

/** A request that may be sent, until it is ended. Its result is reported here. */
export interface Permit {
  /** Whether it may still be sent: its owner may have been slow, and a hold may have come meanwhile. */
  isStillGood(): boolean;
  /** The provider has begun to answer. */
  accept(): void;
  /** The provider refuses it for now: 429, 529 and similar. */
  refuse(failure: ModelFailure): void;
  report(limits: ProviderLimits): void;
  learn(usage: Usage): void;
  /** May be called more than once. */
  end(): void;
}

export interface PacerWait {
  reason: string;
  /** An estimate, unless the provider named a time. */
  delayMs: number;
  /** Present while the provider accepts nothing. */
  hold?: HeldBack;
}

/** How long nothing is sent at all. */
export interface HeldBack {
  forMs: number;
  /** Wall clock. */
  until: number;
  /** The provider's words, or ours. */
  reason: string;
}

/** One request in a lane, through all its attempts. */
export class Ticket implements Waiting {
  enteredAt = 0;
  faults = 0;
  streak: number | undefined;
  permit: Permit | undefined;
  /** Monotonic: until when its owner knows that it waits. */
  toldUntil = 0;
  /** Why it will not be sent at all. */
  broken: ModelFailure | undefined;
  #wait: PacerWait | undefined;
  #wake: (() => void) | undefined;

  constructor(
    readonly asker: Asker,
    readonly since: number,
  ) {}

  tell(wait: PacerWait): void {
    this.#wait = wait;
    this.#wake?.();
  }

  grant(permit: Permit): void {
    this.permit = permit;
    this.#wait = undefined;
    this.#wake?.();
  }

  breakOff(failure: ModelFailure): void {
    this.broken = failure;
    this.#wait = undefined;
    this.#wake?.();
  }

  /** The next message about the wait. Undefined once there is a permit, it is broken off, or the signal fired. */
  async news(signal: AbortSignal): Promise<PacerWait | undefined> {
    if (!this.permit && !this.broken && !this.#wait && !signal.aborted) await this.#something(signal);
    const wait = this.#wait;
    this.#wait = undefined;
    return signal.aborted ? undefined : wait;
  }

  #something(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const wake = this.#wake;
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
