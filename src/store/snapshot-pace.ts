const slice = { workMs: 1, restMs: 2, hurriedMs: 8 };

/**
 * Long work beside other work: a millisecond at a time, so that nothing else waits for it. When somebody waits for it,
 * it hurries.
 */
export class Pace {
  #since = performance.now();
  #steps = 0;
  #hurried = 0;
  #wake: (() => void) | undefined;

  /** To be awaited after each short step. */
  step(): Promise<void> | undefined {
    // A look at the clock costs as much as a look at a file.
    if (++this.#steps % 16 !== 0) return undefined;
    const spent = performance.now() - this.#since;
    if (spent < (this.#hurried > 0 ? slice.hurriedMs : slice.workMs)) return undefined;
    return this.rest();
  }

  async rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#hurried > 0) {
        setImmediate(resolve);
        return;
      }
      this.#wake = resolve;
      // Keeps no process alive: whoever needs it waits for it.
      setTimeout(resolve, slice.restMs).unref();
    });
    this.#since = performance.now();
  }

  async hurry<T>(act: () => Promise<T>): Promise<T> {
    this.#hurried++;
    this.#wake?.();
    try {
      return await act();
    } finally {
      this.#hurried--;
    }
  }

  /** Resolves when the work is done, or after so long. */
  atMost(limitMs: number, work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      work.then(done, done);
    });
  }
}

/** Work that is done one after the other. */
export class Turns {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  get isTaken(): boolean {
    return this.#waiting > 0;
  }

  async take(act: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(act);
    this.#last = mine.catch(() => undefined);
    this.#waiting++;
    try {
      await mine;
    } finally {
      this.#waiting--;
    }
  }
}
