import type { WaitingCall } from '../protocol/index.ts';

/** Running calls that are not tasks yet, and become tasks when the caller no longer wants to wait for them. */
export class WaitingCalls {
  readonly #calls = new Set<WaitingCall>();

  /** Returns a function that withdraws the offer. */
  offer(call: WaitingCall): () => void {
    this.#calls.add(call);
    return () => void this.#calls.delete(call);
  }

  /** How many have become tasks. */
  move(wanted: (call: WaitingCall) => boolean): number {
    return [...this.#calls].filter((call) => wanted(call) && call.move()).length;
  }
}
