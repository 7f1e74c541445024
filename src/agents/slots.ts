/**
 * How many agents may be at work at once. Those that come later wait in the order of their coming. Only the main
 * agent's children wait here: a child that waited for its own child would otherwise hold the place that it needs.
 */
export class Slots {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  get isFull(): boolean {
    return this.#free <= 0;
  }

  /** Resolves with what gives the slot back; once the signal has fired it comes without a slot. */
  async take(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return () => {};
    if (this.#free > 0) {
      this.#free--;
      return this.#giveBackOnce();
    }
    return new Promise((resolve) => {
      const give = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(this.#giveBackOnce());
      };
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((waiting) => waiting !== give);
        resolve(() => {});
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(give);
    });
  }

  /** Hands the slot to whoever waits longest. */
  #giveBackOnce(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}
