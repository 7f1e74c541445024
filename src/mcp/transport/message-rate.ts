import type { Clock } from '../../lib/clock.ts';
import { RateBudget } from '../../lib/rate-budget.ts';

/** Of messages and chatter alike: each costs us more than it costs the server. */
const messageRate = { perSecond: 2_000, burst: 5_000 };
/** Chatter is counted by its size too. */
const chatterBytes = 1024;
/** One message that has no end is no message but a flood. */
const maxFlood = 512 * 1024 * 1024;

/** Tells a server that talks from one that floods. It offends once, and for good. */
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

  /** Counts a message, or something in its place; false where it must not be looked at any more. */
  allows(chatter = 0): boolean {
    if (this.offence !== undefined) return false;
    if (this.#budget.spend(1 + Math.floor(chatter / chatterBytes))) return true;
    this.#offend(`It sent more than ${messageRate.perSecond} messages a second and was ended.`);
    return false;
  }

  /** Looks at the size of a message that is still coming in. */
  allowsPending(bytes: number): boolean {
    if (bytes > maxFlood) this.#offend('It sent a message without end and was ended.');
    return this.offence === undefined;
  }

  #offend(what: string): void {
    if (this.offence !== undefined) return;
    this.offence = what;
    this.offended();
  }
}
