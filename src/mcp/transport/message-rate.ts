import type { Clock } from '../../lib/clock.ts';
import { RateBudget } from '../../lib/rate-budget.ts';

/** For messages and other output alike: each costs us more than it costs the server. */
const messageRate = { perSecond: 2_000, burst: 5_000 };
/** Other output is counted by its size too. */
const chatterBytes = 1024;
/** One message without end is a flood. */
const maxFlood = 512 * 1024 * 1024;

/** Tells a normal server from one that floods. An offence is final. */
export class MessageRate {
  /** Why it must be ended. */
  offence: string | undefined;
  readonly #budget: RateBudget;

  constructor(
    clock: Clock,
    private readonly offended: () => void,
  ) {
    this.#budget = new RateBudget(clock, messageRate);
  }

  /** Counts a message, or other output; false if it must no longer be read. */
  allows(chatter = 0): boolean {
    if (this.offence !== undefined) return false;
    if (this.#budget.spend(1 + Math.floor(chatter / chatterBytes))) return true;
    this.#offend(`It sent more than ${messageRate.perSecond} messages per second and was stopped.`);
    return false;
  }

  /** Checks the size of a message that is still coming in. */
  allowsPending(bytes: number): boolean {
    if (bytes > maxFlood) this.#offend('It sent an endless message and was stopped.');
    return this.offence === undefined;
  }

  #offend(what: string): void {
    if (this.offence !== undefined) return;
    this.offence = what;
    this.offended();
  }
}
