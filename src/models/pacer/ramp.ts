/**
 * How many requests may run at once, as in TCP: it opens with every accepted request, halves with a refusal, returns
 * quickly to near where it was, and then grows slowly.
 */
export class Ramp {
  readonly #start: number;
  #window: number;
  #known = Number.POSITIVE_INFINITY;

  constructor(start: number) {
    this.#start = start;
    this.#window = start;
  }

  get window(): number {
    return this.#window;
  }

  /** An unused window proves nothing and does not grow. */
  accept(underWay: number, share: number): void {
    if (underWay * 2 < this.#window * share) return;
    this.#window += (this.#window < this.#known ? 1 : 2 / this.#window) / share;
  }

  /** Time has passed without a refusal: one more. */
  open(): void {
    this.#window++;
  }

  /** So many were accepted lately. */
  trust(window: number): void {
    this.#window = Math.max(this.#window, window);
  }

  /** An overload is not caused by us, so the earlier number may well be right after it. */
  refuse(underWay: number, isOverload: boolean): void {
    const used = Math.min(this.#window, Math.max(underWay, 1));
    this.#known = isOverload ? used : Math.max(1, used * 0.85);
    this.#window = Math.max(1, used / 2);
  }

  adopt(window: number): void {
    this.#known = window * 2;
    this.#window = window;
  }

  /** After a long silence it is unknown what the provider would accept. */
  rest(known = 0): void {
    this.#window = Math.min(this.#window, Math.max(this.#start, known));
  }
}
