import { setImmediate } from 'node:timers';
import type { Random } from '../proof/random.ts';

/** Whoever an event is for: one that is stopped gets it later, a dead one never. */
export interface Actor {
  readonly state: 'running' | 'paused' | 'dead';
  /** Events that came while it was paused, in order. */
  readonly held: (() => void)[];
}

interface Entry {
  at: number;
  order: number;
  actor: Actor | undefined;
  run: () => void;
}

/**
 * The only source of time and order in a simulated world. One event at a time; between two of them all promises settle. The
 * same seed gives the same run.
 */
export class Scheduler {
  now = 0;
  steps = 0;
  #entries: Entry[] = [];
  #made = 0;

  constructor(readonly random: Random) {}

  /** Calls back once, `ms` from now; the returned function cancels. Events due at the same time come in any order. */
  after(ms: number, run: () => void, actor?: Actor): () => void {
    const entry: Entry = { at: this.now + Math.max(0, ms), order: this.#draw(), actor, run };
    this.#entries.push(entry);
    return () => {
      this.#entries = this.#entries.filter((one) => one !== entry);
    };
  }

  /** Events that an actor could not take while it was paused come now, in the order in which they were due. */
  release(actor: Actor): void {
    for (const run of actor.held.splice(0)) {
      const entry: Entry = { at: this.now, order: this.#made++, actor, run };
      this.#entries.push(entry);
    }
  }

  /** Runs until the time, until nothing is left to do, or until `isDone`. */
  async runUntil(time: number, isDone: () => boolean = () => false): Promise<void> {
    for (let next = this.#first(); next && next.at <= time && !isDone(); next = this.#first()) {
      this.#entries = this.#entries.filter((one) => one !== next);
      this.now = Math.max(this.now, next.at);
      if (next.actor?.state === 'paused') next.actor.held.push(next.run);
      else if (next.actor?.state !== 'dead') {
        this.steps++;
        next.run();
        await settle();
      }
    }
    if (!isDone()) this.now = Math.max(this.now, time);
  }

  #first(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries) if (!first || isBefore(entry, first)) first = entry;
    return first;
  }

  /** Chance first, so that ties are broken differently in every world; then the order of creation. */
  #draw(): number {
    return this.random.below(16) * 2 ** 40 + this.#made++;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Everything that can happen without another event has happened: promises settle before an immediate runs. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
