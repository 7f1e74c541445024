export interface BroadcastOptions<T> {
  /** Number of items a slow subscriber may be behind before droppable ones are withheld from it. */
  limit: number;
  droppable(item: T): boolean;
}

export interface Subscription<T> extends AsyncIterableIterator<T> {
  /** Number of items withheld because this subscriber was too slow. */
  readonly dropped: number;
}

/**
 * One publisher at full speed, any number of readers at their own. A reader that falls behind misses droppable items and
 * never the others: those wait in its queue, however long it gets. Not a log: a reader gets only items published after it
 * subscribed.
 */
export class Broadcast<T> {
  readonly #options: BroadcastOptions<T>;
  readonly #readers = new Set<Reader<T>>();
  #closed = false;

  constructor(options: BroadcastOptions<T>) {
    this.#options = options;
  }

  get subscribers(): number {
    return this.#readers.size;
  }

  publish(item: T): void {
    if (this.#closed) return;
    for (const reader of this.#readers) reader.offer(item);
  }

  /** Subscribes from this call, not from the first `next()`. Ended by `return()`, which leaving a `for await` calls. */
  subscribe(): Subscription<T> {
    const reader = new Reader<T>(this.#options, () => this.#readers.delete(reader));
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
  readonly #options: BroadcastOptions<T>;
  readonly #leave: () => void;
  #queue: T[] = [];
  /** Items before this one are taken; the array is cut when half are, since `shift` is slow on a long one. */
  #head = 0;
  #waiting: ((result: IteratorResult<T, undefined>) => void)[] = [];
  #ended = false;
  dropped = 0;

  constructor(options: BroadcastOptions<T>, leave: () => void) {
    this.#options = options;
    this.#leave = leave;
  }

  offer(item: T): void {
    const waiting = this.#waiting.shift();
    const behind = this.#queue.length - this.#head;
    if (waiting) waiting({ done: false, value: item });
    else if (behind >= this.#options.limit && this.#options.droppable(item)) this.dropped++;
    else this.#queue.push(item);
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
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): T {
    const item = this.#queue[this.#head++] as T;
    if (this.#head * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
