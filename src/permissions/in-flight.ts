import type { Footprint } from './footprint.ts';

/** A running call that was judged by its text, outside the sandbox, and that no person has seen. */
export interface Flight {
  /** What people know it by: the command, or the tool and its file. */
  readonly name: string;
  /** Its agent waits for it. */
  isForeground: boolean;
  readFootprint(): Footprint | undefined;
}

/**
 * The judged calls of a session that run now, of all its agents. A judgement holds as long as the files that it was made on:
 * a call starts beside others only if none of them can change what another one reaches. Judging and entering are one step,
 * with nothing in between.
 */
export class InFlight {
  readonly #flights = new Set<Flight>();
  #left = Promise.withResolvers<void>();

  list(): Flight[] {
    return [...this.#flights];
  }

  enter(flight: Flight): () => void {
    this.#flights.add(flight);
    return () => {
      if (!this.#flights.delete(flight)) return;
      this.#left.resolve();
      this.#left = Promise.withResolvers();
    };
  }

  /** Resolves when any of them has ended. */
  get left(): Promise<void> {
    return this.#left.promise;
  }
}
