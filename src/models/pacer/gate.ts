import { type Hold, maxPacedMs } from './note.ts';

/** Closed while no request may be sent. */
export class PacerGate {
  #until = 0;
  #hold: Hold | undefined;
  #closedMs = 0;

  /** Monotonic. */
  get until(): number {
    return this.#until;
  }

  /** Why it is, or was, closed. */
  get hold(): Hold | undefined {
    return this.#hold;
  }

  /**
   * The machine may have slept, which the monotonic clock does not count: a suspension that is over by the wall clock
   * is over.
   */
  wakeUp(now: number, wallNow: number): boolean {
    const hold = this.#hold;
    if (!hold || hold.delayMs <= maxPacedMs || this.#until <= now) return false;
    if (wallNow < hold.at + hold.delayMs) return false;
    this.#closedMs -= this.#until - now;
    this.#until = now;
    return true;
  }

  /** Time that stops while the gate is closed. */
  openTime(now: number): number {
    return now - this.#closedMs + Math.max(0, this.#until - now);
  }

  /** False when it is already closed for longer. */
  close(forMs: number, hold: Hold, now: number): boolean {
    const until = now + forMs;
    if (until <= this.#until) return false;
    this.#closedMs += until - Math.max(now, this.#until);
    this.#until = until;
    this.#hold = hold;
    return true;
  }
}
