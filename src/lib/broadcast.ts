export interface BroadcastOptions<T> {
  /** Number of items a slow subscriber may be behind before droppable ones are withheld from it. */
  limit: number;
  droppable(item: T): boolean;
  /** The size of an item, about, and how much of it may wait for one subscriber. Without it there is no such limit. */
  weigh?(item: T): number;
  maxWeight?: number;
}

export interface Subscription<T> extends AsyncIterableIterator<T> {
  /** Number of items withheld because this subscriber was too slow. */
  readonly dropped: number;
}

/**
 * One publisher at full speed, any number of readers at their own. A reader that falls behind misses droppable items and
 * never the others: those wait in its queue, until that is too heavy and the subscription is ended. Not a log: a reader gets only items published after it
 * subscribed.
 */
export class Broadcast<T> {
  readonly #readers = new Set<Reader<T>>();
  #closed = false;

  constructor(private readonly options: BroadcastOptions<T>) {}

  get subscribers(): number {
    return this.#readers.size;
  }

  publish(item: T): void {
    if (this.#closed) return;
    for (const reader of this.#readers) reader.offer(item);
  }

  /** Subscribes from this call, not from the first `next()`. Ended by `return()`, which leaving a `for await` calls. */
  subscribe(onOverrun: () => void = () => {}): Subscription<T> {
    const leave = () => this.#readers.delete(reader);
    const reader = new Reader<T>(this.options, leave, onOverrun);
    if (this.#closed) reader.end();
    else this.#readers.add(reader);
    return reader;
  }

  /** Readers get their queued items, then the end. */
  close(): void {
    this.#closed = true;
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }
}

class Reader<T> implements Subscription<T> {
  readonly #leave: () => void;
  readonly #onOverrun: () => void;
  #weight = 0;
  #queue: { item: T; weight: number }[] = [];
  /** Items before this one are taken; the array is cut when half are, since `shift` is slow on a long one. */
  #head = 0;
  #waiting: ((result: IteratorResult<T, undefined>) => void)[] = [];
  #ended = false;
  dropped = 0;

  constructor(
    private readonly options: BroadcastOptions<T>,
    leave: () => void,
    onOverrun: () => void,
  ) {
    this.#onOverrun = onOverrun;
    this.#leave = leave;
  }

  offer(item: T): void {
    const waiting = this.#waiting.shift();
    const behind = this.#queue.length - this.#head;
    if (waiting) waiting({ done: false, value: item });
    else if (behind >= this.options.limit && this.options.droppable(item)) this.dropped++;
    else this.#enqueue(item);
  }

  #enqueue(item: T): void {
    const { weigh, maxWeight = Number.POSITIVE_INFINITY, droppable } = this.options;
    const weight = weigh?.(item) ?? 0;
    if (this.#weight + weight <= maxWeight) {
      this.#weight += weight;
      this.#queue.push({ item, weight });
    } else if (droppable(item)) this.dropped++;
    else {
      void this.return();
      this.#onOverrun();
    }
  }

  end(): void {
    this.#ended = true;
    for (const waiting of this.#waiting.splice(0)) waiting({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#head < this.#queue.length) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.#leave();
    this.#queue = [];
    this.#head = 0;
    this.#weight = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): T {
    const { item, weight } = this.#queue[this.#head++] as { item: T; weight: number };
    this.#weight -= weight;
    if (this.#head * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
