import type { Clock } from '../../lib/clock.ts';
import type { Problem } from '../../lib/result.ts';
import type { Model, ModelFailure } from '../../protocol/index.ts';
import { Breaker } from './breaker.ts';
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
  readonly #breaker = new Breaker();

  constructor(options: PacerOptions) {
    this.clock = options.clock;
    this.random = options.random;
    this.#options = options;
  }

  /** All requests that share one limit: of a model, by one server and key. */
  lane({ id, limitGroup }: Pick<Model, 'id' | 'limitGroup'>): Lane {
    const key = limitGroup === undefined ? id : `${id}@${limitGroup}`;
    const options = { start: defaultStart, ...this.#options };
    const lane = this.#lanes.get(key) ?? new Lane({ id, limitGroup }, key, options);
    this.#lanes.set(key, lane);
    return lane;
  }

  /** Why nothing is sent to this model: a failure that only the user can fix. */
  findBreak(model: Pick<Model, 'id' | 'limitGroup'>): ModelFailure | undefined {
    return this.#breaker.find(model);
  }

  /** From here on nothing is sent to this model; requests that wait for their turn fail. */
  breakOff(model: Pick<Model, 'id' | 'limitGroup'>, failure: ModelFailure): void {
    this.#breaker.open(model, failure);
    for (const lane of this.#lanes.values()) if (this.#breaker.find(lane.model)) lane.breakOff(failure);
  }

  noteSuccess(model: Pick<Model, 'id' | 'limitGroup'>): void {
    this.#breaker.noteSuccess(model);
  }

  /** The user did something that may have fixed what failed: it is tried again. */
  noteUserAction(): void {
    this.#breaker.closeAll();
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
