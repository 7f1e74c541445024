interface Place {
  isHeld: boolean;
  /** How many things its holder waits for at the moment. */
  waits: number;
}

/**
 * How many agents may run at once, at any depth. Later ones wait in order of arrival. An agent that waits for its own
 * agents lends its slot to them, and is the next to get one back.
 */
export class Slots {
  #free: number;
  #waiting: (() => void)[] = [];
  readonly #places = new Map<string, Place>();

  constructor(size: number) {
    this.#free = size;
  }

  get isFull(): boolean {
    return this.#free <= 0;
  }

  /** Resolves with a function that frees the slot; once the signal has fired it resolves without a slot. */
  async take(holder: string, signal: AbortSignal): Promise<() => void> {
    const place: Place = { isHeld: false, waits: 0 };
    place.isHeld = this.#takeFree() || (await this.#queue(signal, 'last'));
    if (place.isHeld) this.#places.set(holder, place);
    return () => {
      if (this.#places.get(holder) === place) this.#places.delete(holder);
      this.#giveBack(place);
    };
  }

  /** Waits without the holder's slot, and takes one again afterwards. */
  async lend<T>(holder: string | null, until: Promise<T>, signal: AbortSignal): Promise<T> {
    const place = holder === null ? undefined : this.#places.get(holder);
    if (holder === null || !place) return until;
    place.waits++;
    this.#giveBack(place);
    try {
      return await until;
    } finally {
      if (place.waits === 1 && (this.#takeFree() || (await this.#queue(signal, 'next')))) place.isHeld = true;
      place.waits--;
      // It may have begun to wait again in the meantime, or be over.
      if (place.waits > 0 || this.#places.get(holder) !== place) this.#giveBack(place);
    }
  }

  /** Whether an agent waits for others, or for its slot. */
  isLent(holder: string): boolean {
    return (this.#places.get(holder)?.waits ?? 0) > 0;
  }

  #takeFree(): boolean {
    if (this.#free <= 0) return false;
    this.#free--;
    return true;
  }

  #queue(signal: AbortSignal, where: 'next' | 'last'): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const give = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(true);
      };
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((waiting) => waiting !== give);
        resolve(false);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      if (where === 'next') this.#waiting.unshift(give);
      else this.#waiting.push(give);
    });
  }

  /** Hands the slot to the next in line. */
  #giveBack(place: Place): void {
    if (!place.isHeld) return;
    place.isHeld = false;
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
