import type { SearchHits } from './search-hits.ts';
import { sortByTime } from './search-paths.ts';

/** Names on their way from the first step of a search to the second. */
export interface FoundNames {
  /** How many there were so far. */
  add(path: string): number;
  /** No more will come. */
  end(): void;
  /** About as many as asked for, and fewer only at the end. */
  next(count: number): Promise<string[]>;
}

/** How many files one ripgrep is given: each is an open descriptor, and each ripgrep takes some milliseconds to start. */
export const mostAtOnce = process.platform === 'linux' ? 512 : 64;
/** So many times more are given than were asked for, where they are there: a second ripgrep costs more than they do. */
const generosity = 4;

/** In the order in which they came. */
export class NamesInOrder implements FoundNames {
  readonly #names: string[] = [];
  #count = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;

  add(path: string): number {
    this.#names.push(path);
    this.#wake?.();
    return ++this.#count;
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async next(count: number): Promise<string[]> {
    while (!this.#isEnded && this.#names.length < count)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#names.splice(0, Math.min(count * generosity, mostAtOnce));
  }
}

/** Newest first, so none is given before all are there. Their times are looked up while others are still on their way. */
export class NewestNames implements FoundNames {
  readonly #timed: { path: string; time: number }[] = [];
  #sorted: string[] = [];
  #count = 0;
  readonly #ended = Promise.withResolvers<void>();

  constructor(private readonly hits: SearchHits) {}

  add(path: string): number {
    const time = this.hits.timeOf(path);
    if (time !== undefined) this.#timed.push({ path, time });
    return ++this.#count;
  }

  end(): void {
    this.#sorted = sortByTime(this.#timed);
    this.#ended.resolve();
  }

  /** Within a batch by path: neighbours are opened in a directory that is held already. */
  async next(count: number): Promise<string[]> {
    await this.#ended.promise;
    return this.#sorted.splice(0, count).sort();
  }
}
