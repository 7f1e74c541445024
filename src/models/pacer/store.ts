import type { PacingNote } from './note.ts';

/**
 * Where a user's processes share what they learnt. Each has one note per model, which only it writes: there is nothing
 * to lock, and no update can be lost. A note outlives its process, since it is still valid.
 */
export interface PacerStore {
  /** Whether another process may have written since the last `read`. Called before every request: cheap. */
  hasNews(model: string): boolean;
  read(model: string): readonly Neighbour[];
  /** Replaces one's own note. */
  publish(model: string, note: PacingNote): void;
  /**
   * The next time, of the wall clock, that is `gapMs` from those that others took. Two callers within microseconds may
   * get the same one: it spreads requests, and does not guard anything.
   */
  takeSlot(model: string, now: number, gapMs: number): number;
  /** Removes the note of a dead process. */
  forget(model: string, peer: Neighbour): void;
}

export interface Neighbour {
  readonly name: string;
  readonly isAlive: boolean;
  readonly note: PacingNote;
}

/** The in-memory twin: every `join` is a separate process. */
export function memoryPacing(): { join(): PacerStore & { die(): void } } {
  const notes = new Map<string, Map<string, PacingNote>>();
  const slots = new Map<string, number>();
  const living = new Set<string>();
  let changes = 0;
  let joined = 0;
  const findNotes = (model: string) => {
    const known = notes.get(model) ?? new Map<string, PacingNote>();
    notes.set(model, known);
    return known;
  };
  return {
    join() {
      const name = `${++joined}`;
      const read = new Map<string, number>();
      living.add(name);
      return {
        hasNews: (model) => changes > (read.get(model) ?? 0),
        read(model) {
          read.set(model, changes);
          return [...findNotes(model)]
            .filter(([peer]) => peer !== name)
            .map(([peer, note]) => ({ name: peer, isAlive: living.has(peer), note }));
        },
        publish(model, note) {
          changes++;
          findNotes(model).set(name, structuredClone(note));
        },
        takeSlot(model, now, gapMs) {
          const slot = Math.max(now, (slots.get(model) ?? 0) + gapMs);
          slots.set(model, slot);
          return slot;
        },
        forget: (model, peer) => void findNotes(model).delete(peer.name),
        die: () => void living.delete(name),
      };
    },
  };
}
