import type { Clock } from '../lib/clock.ts';
import type { JsonlWriter } from '../lib/jsonl/jsonl.ts';
import { ok, type Problem, type Result } from '../lib/result.ts';
import type { ModelRequest } from '../protocol/index.ts';
import { type AskedRequest, askedWriter, requestEntry } from './asked.ts';
import type { Mask } from './mask.ts';
import { type SteppedClock, settle, steppedClock } from './stepped-clock.ts';
import type { TapeEntry, TapeStep } from './tape.ts';

/** An entry without its time, which the recorder adds. */
export type Untimed<T> = T extends { at: number } ? Omit<T, 'at'> : T;

/**
 * Writes a tape. Steps are let in one by one, each only when everything that the one before started has come to rest:
 * so the order on the tape is the order in which the run saw them, and a replay can follow it.
 */
export class Recorder {
  readonly clock: SteppedClock;
  readonly #start: number;
  readonly #asked: (request: ModelRequest) => AskedRequest;
  readonly #before = new Map<string | null, AskedRequest>();
  #requests = 0;
  #turn: Promise<void> = Promise.resolve();
  #problem: Problem | undefined;

  constructor(
    private readonly writer: JsonlWriter,
    readonly mask: Mask,
    private readonly outside: Clock,
  ) {
    this.#start = outside.monotonic();
    this.#asked = askedWriter(mask);
    this.clock = steppedClock(outside.now(), (timer, ms, callback) => this.#schedule(timer, ms, callback));
  }

  /** Resolves when it is this step's turn, written and with its time on the clock. */
  step(entry: Untimed<TapeStep>): Promise<void> {
    return this.#next(() => this.note(entry));
  }

  /** A step that has already taken place: nothing can be delayed for it. */
  note(entry: Untimed<TapeStep>, notBefore = 0): void {
    this.clock.moveTo(Math.max(notBefore, Math.floor(this.outside.monotonic() - this.#start)));
    this.#write({ ...entry, at: this.clock.elapsed } as TapeStep);
  }

  /** Something to compare: it takes no time. */
  mark(entry: Exclude<TapeEntry, TapeStep>): void {
    this.#write(entry);
  }

  request(request: ModelRequest): number {
    const agent = request.asker?.agentId ?? null;
    const asked = this.#asked(request);
    const number = ++this.#requests;
    this.mark(requestEntry(number, agent, asked, this.#before.get(agent)));
    this.#before.set(agent, asked);
    return number;
  }

  finish(): Result<void> {
    this.writer.close();
    return this.#problem ? { ok: false, problem: this.#problem } : ok(undefined);
  }

  #next(act: () => void): Promise<void> {
    const turn = this.#turn.then(settle).then(act);
    // The waiter of this step gets its error; those after it do not.
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Real time decides when a timer is over, and the clock then shows at least the time waited for. */
  #schedule(timer: number, ms: number, callback: () => void): () => void {
    const due = this.clock.elapsed + ms;
    let isCancelled = false;
    const cancel = this.outside.after(ms, () => {
      void this.#next(() => {
        if (isCancelled) return;
        this.note({ type: 'timer', timer }, due);
        callback();
      });
    });
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  /** The run continues if the tape cannot be written; the end reports it. */
  #write(entry: TapeEntry): void {
    if (this.#problem) return;
    const written = this.writer.append(this.mask.toTape(entry));
    if (!written.ok) this.#problem = written.problem;
  }
}
