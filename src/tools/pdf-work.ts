import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';

/** It took too long, was too much, or is no longer wanted. Thrown within the PDF reader only, caught at its door. */
export class PdfStopped extends Error {}

/** A page is drawn in one go, and nothing else happens meanwhile. */
const maxAtOnceMs = 2_000;

/** Lets others have their turn, and ends what takes too long. */
export class PdfWork {
  #sinceCheck = 0;
  #lastPause: number;
  readonly #deadline: number;

  constructor(
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
    limitMs: number,
  ) {
    this.#lastPause = clock.monotonic();
    this.#deadline = this.#lastPause + limitMs;
  }

  /** Called for every small piece of work; looks at the clock now and then. */
  spend(): void {
    if (++this.#sinceCheck < 4096) return;
    this.#sinceCheck = 0;
    this.#check();
  }

  /** Called between larger pieces. */
  async pause(): Promise<void> {
    this.spend();
    if (this.clock.monotonic() - this.#lastPause < 15) return;
    await setImmediate();
    this.#lastPause = this.clock.monotonic();
    this.#check();
  }

  #check(): void {
    if (this.signal.aborted) throw new PdfStopped('it was interrupted');
    const now = this.clock.monotonic();
    if (now > this.#deadline) throw new PdfStopped('it takes too long');
    if (now - this.#lastPause > maxAtOnceMs) throw new PdfStopped('one of its pages takes too long');
  }
}
