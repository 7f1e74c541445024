import type { Clock } from '../lib/clock.ts';
import { type Divergence, renderDivergence } from './divergence.ts';
import type { Mask } from './mask.ts';
import type { Tape, TapeLine } from './read-tape.ts';
import { describeStep, nameStep } from './step-names.ts';
import { type SteppedClock, settle, steppedClock } from './stepped-clock.ts';
import type { TapeEntry, TapeStep } from './tape.ts';

/** How long a step on the tape may still come after its waiter was aborted. */
const abortGraceMs = 1_000;

export interface PlayerOptions {
  mask: Mask;
  outsideClock: Clock;
  /** How long a waiter waits for a step that is not next before that is a difference. */
  patienceMs: number;
  /** A person gives the commands. */
  byHand: boolean;
}

interface Waiter {
  /** Undefined when there is no such step left. */
  resolve(step: TapeStep | undefined): void;
  isUrgent: boolean;
}

/**
 * Hands out the steps of a tape, each to its waiter, in order and one at a time. After the first difference it hands
 * out nothing more.
 */
export class Player {
  readonly clock: SteppedClock;
  readonly tape: Tape;
  readonly #lines: TapeLine[];
  readonly #waiters = new Map<string, Waiter>();
  /** How many steps of a key are still to come. */
  readonly #left = new Map<string, number>();
  /** Lines that are found by their content: requests, calls and commands. */
  readonly #claimable: TapeLine[];
  readonly #claimed = new Set<TapeLine>();
  readonly #queued = new Set<Promise<void>>();
  readonly #droppedTimers = new Set<number>();
  #next = 0;
  #isPumping = false;
  #stopPatience: (() => void) | undefined;
  #divergence: Divergence | undefined;
  #isFinished = false;
  #isLeft = false;

  constructor(
    tape: Tape,
    private readonly options: PlayerOptions,
  ) {
    this.tape = tape;
    this.#lines = tape.entries.map(({ line, entry }) => ({ line, entry: options.mask.fromTape(entry) }));
    for (const line of this.#lines) this.#left.set(nameStep(line), (this.#left.get(nameStep(line)) ?? 0) + 1);
    this.#claimable = this.#lines.filter(({ entry }) => ['request', 'call', 'command'].includes(entry.type));
    this.clock = steppedClock(tape.header.startedAt, (timer, _ms, callback) =>
      this.#schedule(timer, callback),
    );
  }

  /** Only the first difference is kept: all later ones may follow from it. */
  diverge(divergence: Divergence): string {
    this.#divergence ??= divergence;
    this.#release();
    return this.message ?? '';
  }

  /** The first difference, in words, if there is one. */
  get message(): string | undefined {
    return this.#divergence && renderDivergence(this.tape.path, this.#divergence);
  }

  get lines(): readonly TapeLine[] {
    return this.#lines;
  }

  /** The first line that matches and was not claimed before. */
  find(fits: (entry: TapeEntry) => boolean): TapeLine | undefined {
    return this.#claimable.find((line) => !this.#claimed.has(line) && fits(line.entry));
  }

  claim(fits: (entry: TapeEntry) => boolean): TapeLine | undefined {
    const found = this.find(fits);
    if (!found) return undefined;
    this.#claimed.add(found);
    void this.#pump();
    return found;
  }

  /** The next step of this key when its turn has come; undefined when it never will. */
  async wait(key: string, signal: AbortSignal): Promise<TapeStep | undefined> {
    if (!this.#left.get(key)) this.#missing(key);
    return this.#untilAborted(key, signal, true);
  }

  /** The same for work that may take forever or never end: background work. */
  async waitQuietly(key: string, signal: AbortSignal): Promise<TapeStep | undefined> {
    return this.#untilAborted(key, signal, false);
  }

  /** Acts when this line's turn has come. */
  queue(line: TapeLine, act: () => void): void {
    const queued = this.#await(nameStep(line), false).then((step) => {
      this.#queued.delete(queued);
      if (step) act();
    });
    this.#queued.add(queued);
  }

  /** Resolves when a queued one has acted, or no longer will; undefined if none is queued. */
  early(): Promise<void> | undefined {
    return this.#queued.size > 0 ? Promise.race(this.#queued) : undefined;
  }

  /** Takes a step at once if it is the next one and nothing is in progress. */
  takeNow(line: TapeLine): boolean {
    this.#pass();
    if (this.#isPumping || this.#lines[this.#next] !== line) return false;
    this.#deliver(line);
    void this.#pump();
    return true;
  }

  /** Where the tape continues although the run has ended; undefined if it does not. */
  rest(): TapeLine | undefined {
    this.#pass();
    return this.#lines
      .slice(this.#next)
      .find(({ entry }) => entry.type !== 'timer' && entry.type !== 'model');
  }

  /** No more commands will come: the steps after the next one are never reached. */
  leave(): void {
    this.#isLeft = true;
    if (!this.#isPumping) this.#beginPatience();
  }

  finish(): void {
    this.#isFinished = true;
    this.#release();
  }

  /** The step of an aborted waiter may still be on the tape; it is given up only if it does not come soon. */
  async #untilAborted(key: string, signal: AbortSignal, isUrgent: boolean): Promise<TapeStep | undefined> {
    const graceMs = this.#left.get(key) ? abortGraceMs : 0;
    let stopGrace: (() => void) | undefined;
    const stop = () => {
      stopGrace = this.options.outsideClock.after(graceMs, () => this.#drop(key));
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const step = await this.#await(key, isUrgent);
    signal.removeEventListener('abort', stop);
    stopGrace?.();
    return step;
  }

  #await(key: string, isUrgent: boolean): Promise<TapeStep | undefined> {
    if (this.#divergence || this.#isFinished) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiters.set(key, { resolve, isUrgent });
      void this.#pump();
    });
  }

  #drop(key: string): void {
    const waiter = this.#waiters.get(key);
    this.#waiters.delete(key);
    waiter?.resolve(undefined);
    void this.#pump();
  }

  #missing(key: string): void {
    const line = (this.#lines.at(-1)?.line ?? 1) + 1;
    this.diverge({ line, where: key, recorded: 'no further step for it', now: 'the run is waiting for it' });
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    for (let waiter = this.#nextWaiter(); waiter; waiter = this.#nextWaiter()) {
      await settle();
      const line = this.#lines[this.#next];
      // The waiter may have left by now.
      if (!line || this.#nextWaiter() !== waiter) continue;
      this.#waiters.delete(nameStep(line));
      waiter.resolve(this.#deliver(line));
    }
    this.#isPumping = false;
    this.#beginPatience();
  }

  #deliver(line: TapeLine): TapeStep {
    this.#next++;
    this.#left.set(nameStep(line), (this.#left.get(nameStep(line)) ?? 1) - 1);
    const step = line.entry as TapeStep;
    this.clock.moveTo(step.at);
    return step;
  }

  #nextWaiter(): Waiter | undefined {
    this.#pass();
    const line = this.#lines[this.#next];
    return line && this.#waiters.get(nameStep(line));
  }

  /** Skips lines that are not steps, once they were found, and timers without a waiter. */
  #pass(): void {
    for (let line = this.#lines[this.#next]; line; line = this.#lines[++this.#next]) {
      const { entry } = line;
      const isPast =
        entry.type === 'model' ||
        ((entry.type === 'request' || entry.type === 'call') && this.#claimed.has(line)) ||
        (entry.type === 'timer' && this.#droppedTimers.has(entry.timer));
      if (!isPast) return;
    }
  }

  #schedule(timer: number, callback: () => void): () => void {
    let isCancelled = false;
    void this.#await(`timer ${timer}`, false).then((step) => {
      if (step && !isCancelled) callback();
    });
    return () => {
      isCancelled = true;
      this.#droppedTimers.add(timer);
      this.#drop(`timer ${timer}`);
    };
  }

  #beginPatience(): void {
    this.#stopPatience?.();
    this.#stopPatience = undefined;
    const next = this.#lines[this.#next];
    if (this.options.byHand && next?.entry.type === 'command') {
      if (this.#isLeft) this.finish();
      return;
    }
    if (this.#isFinished || ![...this.#waiters.values()].some((waiter) => waiter.isUrgent)) return;
    this.#stopPatience = this.options.outsideClock.after(this.options.patienceMs, () => this.#giveUp());
  }

  #giveUp(): void {
    const line = this.#lines[this.#next];
    const waiting = [...this.#waiters].filter(([, waiter]) => waiter.isUrgent).map(([key]) => key);
    this.diverge({
      line: line?.line ?? (this.#lines.at(-1)?.line ?? 1) + 1,
      where: 'where the run stopped',
      recorded: line ? describeStep(line.entry) : 'the end of the recording',
      now: `the run is waiting for something else: ${waiting.join(', ')}`,
    });
  }

  #release(): void {
    this.#stopPatience?.();
    for (const waiter of [...this.#waiters.values()]) waiter.resolve(undefined);
    this.#waiters.clear();
  }
}
