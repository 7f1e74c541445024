export interface Merged<T> {
  /** The generator it came from. */
  index: number;
  value: T;
}

/**
 * Runs generators concurrently, at most `limit` at a time and started in order, and yields their items as they come. Returns
 * their results, in order. When one throws, or the reader leaves, all others are returned and awaited. `return()` cannot
 * interrupt an `await`: to cancel, abort the signal they were given.
 */
export async function* merge<Item, End>(
  generators: readonly AsyncGenerator<Item, End>[],
  limit: number,
): AsyncGenerator<Merged<Item>, End[]> {
  const ends: End[] = new Array(generators.length);
  const arrivals = createArrivals<Item, End>();
  let started = 0;
  let running = 0;
  const advance = (index: number) => {
    const generator = generators[index];
    if (generator) arrivals.expect(index, generator.next());
  };
  const fill = () => {
    for (; running < Math.max(1, limit) && started < generators.length; running++) advance(started++);
  };
  try {
    for (fill(); running > 0; fill()) {
      const { index, result } = await arrivals.take();
      if (result.done) {
        ends[index] = result.value;
        running--;
      } else {
        yield { index, value: result.value };
        advance(index);
      }
    }
    return ends;
  } finally {
    if (running > 0) await Promise.allSettled(generators.map((one) => one.return(undefined as End)));
  }
}

interface Arrival<Item, End> {
  index: number;
  result: IteratorResult<Item, End>;
}

/**
 * A queue of settled promises with one consumer. Not `Promise.race`, which adds a reaction to every pending promise on every
 * call and so grows with a quiet generator beside a busy one.
 */
function createArrivals<Item, End>() {
  const settled: (() => Arrival<Item, End>)[] = [];
  let wake: (() => void) | undefined;
  const arrive = (arrival: () => Arrival<Item, End>) => {
    settled.push(arrival);
    wake?.();
  };
  return {
    expect(index: number, next: Promise<IteratorResult<Item, End>>): void {
      next.then(
        (result) => arrive(() => ({ index, result })),
        (error) =>
          arrive(() => {
            throw error;
          }),
      );
    },
    async take(): Promise<Arrival<Item, End>> {
      for (;;) {
        const arrival = settled.shift();
        if (arrival) return arrival();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
