import type { Clock } from '../../lib/clock.ts';
import type { SearchHits } from './search-hits.ts';
import { sortByTime } from './search-paths.ts';

/** Names between the first step of a search and the second. */
export interface FoundNames {
  /** How many have come so far. */
  add(path: string): number;
  end(): void;
  /** No more will come. */
  readonly isEnded: boolean;
  /** As many as requested or some more; fewer only at the end. */
  next(count: number): Promise<string[]>;
}

/** How many files one ripgrep gets: each is an open descriptor, and each ripgrep takes some milliseconds to start. */
export const maxAtOnce = process.platform === 'linux' ? 512 : 64;
/** This many are given even if fewer were requested, if they come soon: another ripgrep costs more than they do. */
const usual = 64;
const soonMs = 2;

/** In the order in which they came. */
export class NamesInOrder implements FoundNames {
  readonly #names: string[] = [];
  #count = 0;
  isEnded = false;
  #wake: (() => void) | undefined;

  constructor(private readonly clock: Clock) {}

  add(path: string): number {
    this.#names.push(path);
    this.#wake?.();
    return ++this.#count;
  }

  end(): void {
    this.isEnded = true;
    this.#wake?.();
  }

  async next(count: number): Promise<string[]> {
    const most = Math.max(count, usual);
    await this.#gather(count);
    let isLate = false;
    const cancel = this.clock.after(soonMs, () => {
      isLate = true;
      this.#wake?.();
    });
    await this.#gather(most, () => isLate);
    cancel();
    return this.#names.splice(0, most);
  }

  async #gather(count: number, isEnough = () => false): Promise<void> {
    while (!this.isEnded && this.#names.length < count && !isEnough())
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }
}

/** Newest first, so none is given before all have come. Their times are read while others still arrive. */
export class NewestNames implements FoundNames {
  readonly #timed: { path: string; time: number }[] = [];
  #sorted: string[] = [];
  isEnded = false;
  #count = 0;
  readonly #ended = Promise.withResolvers<void>();

  constructor(private readonly hits: SearchHits) {}

  add(path: string): number {
    const time = this.hits.readTime(path);
    if (time !== undefined) this.#timed.push({ path, time });
    return ++this.#count;
  }

  end(): void {
    this.#sorted = sortByTime(this.#timed);
    this.isEnded = true;
    this.#ended.resolve();
  }

  /** Within a batch by path: neighbours are opened in a directory already held. */
  async next(count: number): Promise<string[]> {
    await this.#ended.promise;
    return this.#sorted.splice(0, count).sort();
  }
}
