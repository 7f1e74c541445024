import type { BoardItem } from '../../protocol/team.ts';
import { isOpen, mapBlockers } from './links.ts';

export interface BoardListener {
  /** `before` is undefined for a new item. Deleted items come with that status. */
  changed?(item: BoardItem, before: BoardItem | undefined): void;
  /** All that this item waited for is done: its owner can begin, or anybody if it has none. */
  unblocked?(item: BoardItem): void;
}

/** Compares a board with what it was at the last look. Each process does so for itself: no process has to tell the others. */
export class BoardFollower {
  readonly #listeners = new Set<BoardListener>();
  #known: Map<string, BoardItem> | undefined;
  #blocked: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(private readonly read: () => BoardItem[]) {}

  get size(): number {
    return this.#listeners.size;
  }

  follow(listener: BoardListener): () => void {
    if (this.#known === undefined) this.#take(this.read());
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  look(): void {
    if (this.#listeners.size === 0) {
      this.#known = undefined;
      return;
    }
    const known = this.#known ?? new Map<string, BoardItem>();
    const wasBlocked = this.#blocked;
    const items = this.read();
    this.#take(items);
    const changed = items.filter((item) => known.get(item.id)?.revision !== item.revision);
    const freed = items.filter(
      (item) => wasBlocked.has(item.id) && !this.#blocked.has(item.id) && isOpen(item),
    );
    for (const listener of [...this.#listeners]) {
      for (const item of changed) listener.changed?.(item, known.get(item.id));
      for (const item of freed) listener.unblocked?.(item);
    }
  }

  #take(items: BoardItem[]): void {
    this.#known = new Map(items.map((item) => [item.id, item]));
    this.#blocked = mapBlockers(items);
  }
}
