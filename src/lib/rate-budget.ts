import type { Clock } from './clock.ts';

export interface Rate {
  perSecond: number;
  /** The amount allowed at once after a quiet time. */
  burst: number;
}

/** Distinguishes a busy source from a runaway one. */
export class RateBudget {
  #left: number;
  #at: number;

  constructor(
    private readonly clock: Clock,
    private readonly rate: Rate,
  ) {
    this.#left = rate.burst;
    this.#at = clock.monotonic();
  }

  /** False when more was spent than the rate allows. */
  spend(amount: number): boolean {
    const now = this.clock.monotonic();
    const earned = ((now - this.#at) / 1000) * this.rate.perSecond;
    this.#at = now;
    this.#left = Math.min(this.rate.burst, this.#left + earned) - amount;
    return this.#left >= 0;
  }
}
