import type { Hold } from './note.ts';

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
