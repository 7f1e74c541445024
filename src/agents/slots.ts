interface Place {
  isHeld: boolean;
  /** For how much its holder waits at the moment. */
  waits: number;
}

/**
 * How many agents may be at work at once, at whatever depth. Those that come later wait in the order of their coming.
 * An agent that waits for agents of its own is not at work: its place is theirs meanwhile, and it is the next to get one.
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

  /** Resolves with what gives the place back; once the signal has fired it comes without a place. */
  async take(holder: string, signal: AbortSignal): Promise<() => void> {
    const place: Place = { isHeld: false, waits: 0 };
    place.isHeld = this.#takeFree() || (await this.#queue(signal, 'last'));
    if (place.isHeld) this.#places.set(holder, place);
    return () => {
      if (this.#places.get(holder) === place) this.#places.delete(holder);
      this.#giveBack(place);
    };
  }

  /** Waits without the holder's place, and has it again afterwards. */
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
      // It may have begun to wait anew in the meantime, or be over.
      if (place.waits > 0 || this.#places.get(holder) !== place) this.#giveBack(place);
    }
  }

  /** Whether an agent waits for others, or for its place. */
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

  /** Hands the place to whoever is next. */
  #giveBack(place: Place): void {
    if (!place.isHeld) return;
    place.isHeld = false;
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
