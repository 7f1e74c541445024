import type { Clock } from '../../lib/clock.ts';
import type { Problem } from '../../lib/result.ts';
import type { Model } from '../../protocol/index.ts';
import { filePacing } from './file-store.ts';
import { Lane } from './lane.ts';
import type { PacerStore } from './store.ts';

export interface PacerOptions {
  clock: Clock;
  /** Between 0 and 1, like `Math.random`. */
  random: () => number;
  /** Without one it knows only this process. */
  store?: PacerStore;
  /** Requests to one model at once, as long as nothing is known. */
  start?: number;
}

/** Paces the requests of a process, in step with the user's other processes. Keeps no timers while nothing waits. */
export class Pacer {
  readonly clock: Clock;
  readonly random: () => number;
  readonly #options: PacerOptions;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: PacerOptions) {
    this.clock = options.clock;
    this.random = options.random;
    this.#options = options;
  }

  /** All requests that share one limit: of a model, by one server and key. */
  lane({ id, limitGroup }: Pick<Model, 'id' | 'limitGroup'>): Lane {
    const key = limitGroup === undefined ? id : `${id}@${limitGroup}`;
    const lane = this.#lanes.get(key) ?? new Lane(id, key, { start: defaultStart, ...this.#options });
    this.#lanes.set(key, lane);
    return lane;
  }
}

const defaultStart = 8;

export interface SharedPacerOptions {
  home: string;
  clock: Clock;
  random: () => number;
  /** Called once, when the other processes cannot be informed. */
  onProblem?: (problem: Problem) => void;
}

const shared = new WeakMap<Clock, Map<string, Pacer>>();

/** The one pacer of a process for a home directory and a clock: independent sessions share it. */
export function sharedPacer({ home, clock, random, onProblem }: SharedPacerOptions): Pacer {
  const pacers = shared.get(clock) ?? new Map<string, Pacer>();
  shared.set(clock, pacers);
  const known = pacers.get(home);
  if (known) return known;
  const store = filePacing({ home, now: () => clock.now(), onProblem });
  const pacer = new Pacer({ clock, random, store });
  pacers.set(home, pacer);
  return pacer;
}
