import type { WaitingCall } from '../protocol/index.ts';

/** Calls under way that are no tasks yet, and become one when somebody no longer wants to wait for them. */
export class WaitingCalls {
  readonly #calls = new Set<WaitingCall>();

  /** Returns what takes the offer back. */
  offer(call: WaitingCall): () => void {
    this.#calls.add(call);
    return () => void this.#calls.delete(call);
  }

  /** How many have become tasks. */
  move(wanted: (call: WaitingCall) => boolean): number {
    return [...this.#calls].filter((call) => wanted(call) && call.move()).length;
  }
}
