import type { Clock } from '../../lib/clock.ts';
import type { ModelFailure, ProviderLimits, Usage } from '../../protocol/index.ts';
import { PacerGate } from './gate.ts';
import { easeMemoryMs, memoryMs, Neighbours } from './neighbours.ts';
import { type Ease, type Estimate, type Hold, maxHoldMs, maxPacedMs } from './note.ts';
import { Pace, Throughput } from './pace.ts';
import { Ramp } from './ramp.ts';
import { Room } from './room.ts';
import type { PacerStore } from './store.ts';

export interface ViewOptions {
  clock: Clock;
  /** Between 0 and 1, like `Math.random`. */
  random: () => number;
  store?: PacerStore;
  /** Requests at once, as long as nothing is known. */
  start: number;
}

/** Everything known about what a model's provider accepts: from its answers to us, and from other processes. */
export class ProviderView {
  readonly gate = new PacerGate();
  readonly neighbours: Neighbours;
  readonly #ramp: Ramp;
  readonly #start: number;
  readonly #pace = new Pace();
  readonly #throughput = new Throughput();
  readonly #room = new Room();
  readonly #clock: Clock;
  readonly #random: () => number;
  #estimate: Estimate | undefined;
  #ease: Ease | undefined;
  /** As published by this process. */
  #ownEase: Ease | undefined;
  /** Monotonic: of the refusal behind the estimate. */
  #refusedAt = Number.NEGATIVE_INFINITY;
  #ownHold: { hold?: Hold; until: number } = { until: 0 };
  #isProbing = false;
  #streak = 0;
  #notBefore = 0;
  #slotAt: number | undefined;

  constructor(model: string, { clock, random, store, start }: ViewOptions) {
    this.neighbours = new Neighbours(model, store, clock);
    this.#ramp = new Ramp(start);
    this.#start = start;
    this.#clock = clock;
    this.#random = random;
  }

  /** Whether the provider refused anything lately. */
  isLimited(now: number): boolean {
    return now < this.gate.until || now - this.#refusedAt < memoryMs;
  }

  /** The current row of refusals, which ends when a request is accepted. */
  get streak(): number | undefined {
    return this.#estimate && this.#estimate.strikes > 0 ? this.#streak : undefined;
  }

  /** After an outage one request goes first, and the others only once it was accepted. */
  get isProbing(): boolean {
    return this.#isProbing;
  }

  /** Monotonic: when the pace allows the next request. */
  get notBefore(): number {
    return Math.max(this.#notBefore, this.gate.until, this.#slotAt ?? 0);
  }

  /** How many requests of this process may run at once. */
  get window(): number {
    return Math.max(1, this.#ramp.window * this.neighbours.share);
  }

  /** Between two requests of this process; 0 when there is no limit. */
  intervalMs(now: number): number {
    return 1_000 / (this.#pace.rate(this.gate.openTime(now)) * this.neighbours.share);
  }

  /** Requests per second of this process; undefined when there were too few to say. */
  measured(now: number): number | undefined {
    return this.#throughput.perSecond(this.gate.openTime(now));
  }

  /** Reads the notes of others, and closes the gate when the provider's reports leave no room. */
  refresh(now: number): void {
    if (this.gate.wakeUp(now, this.#clock.now())) this.#notBefore = now;
    this.#lookAround(now);
    const shortage = now < this.gate.until ? undefined : this.#room.shortage(now);
    if (shortage)
      this.#close(
        shortage.forMs,
        { at: this.#clock.now(), delayMs: shortage.forMs, cause: shortage.of },
        now,
      );
    const isLong = shortage !== undefined && shortage.forMs >= worthTellingMs;
    if (isLong || (this.isLimited(now) && this.neighbours.isWorthTelling(now))) this.#tell(now);
  }

  /** Whether the provider has asked to wait. Room that a permit took for itself is ignored. */
  isRefusing(now: number): boolean {
    this.#lookAround(now);
    const cause = this.gate.hold?.cause;
    return now < this.gate.until && (cause === 'rate_limited' || cause === 'overloaded');
  }

  /** Called when nothing else is in the way of a request. */
  takeSlot(now: number): void {
    const gapMs = this.intervalMs(now) * this.neighbours.share * gapPart;
    this.#slotAt ??= this.neighbours.takeSlot(now, gapMs);
  }

  send(now: number): void {
    const interval = this.intervalMs(now);
    const catchUp = this.neighbours.share === 1 ? catchUpMs : Math.max(catchUpMs, interval);
    this.#notBefore = Math.max(this.#notBefore, now - catchUp) + interval;
    this.#slotAt = undefined;
    this.#room.spend();
  }

  /** Time has passed, and nothing was refused. */
  open(): void {
    this.#ramp.open();
  }

  rest(): void {
    this.#ramp.rest(this.#isEasy(this.#ease) ? this.#ease?.window : 0);
  }

  accept(sentAt: number, underWay: number, now: number): void {
    const { share } = this.neighbours;
    this.#throughput.note(this.gate.openTime(now));
    this.#ramp.accept(underWay, share);
    this.#pace.accept(share);
    this.#learnEase(now);
    if (sentAt <= this.#refusedAt) return;
    this.#isProbing = false;
    if (!this.#estimate || this.#estimate.strikes === 0) return;
    this.#estimate = { ...this.#estimate, strikes: 0 };
    this.#tell(now);
  }

  learn(usage: Usage): void {
    this.#room.learn(usage);
  }

  /** `unanswered` other requests are open. */
  report(limits: ProviderLimits, unanswered: number, now: number): void {
    this.#room.report(limits, unanswered, now, this.#clock.now());
  }

  /**
   * A refusal of a request that was sent before the last refusal was known adds only its time. True when it is the
   * first after an accepted request.
   */
  refuse(failure: ModelFailure, sentAt: number, underWay: number, now: number): boolean {
    this.#lookAround(now);
    const isNew = sentAt > this.#refusedAt;
    const strikes = (this.#estimate?.strikes ?? 0) + (isNew ? 1 : 0);
    if (isNew) this.#learnFrom(failure, strikes, underWay, now);
    const { capacity, isGuess } = this.#pace;
    const rate = Number.isFinite(capacity) ? { capacity, isGuess } : {};
    this.#refusedAt = now;
    this.#ease = undefined;
    this.#ownEase = undefined;
    this.#estimate = { refusedAt: this.#clock.now(), window: this.#ramp.window, strikes, ...rate };
    const { kind, status, message } = failure;
    const cause = kind === 'overloaded' ? 'overloaded' : 'rate_limited';
    const forMs = this.#patience(failure, strikes, now);
    const why = { cause, status, ...(forMs > maxPacedMs ? { said: message } : {}) } as const;
    this.#holdAll(forMs, why, now);
    this.#tell(now);
    return isNew && strikes === 1;
  }

  #learnFrom(failure: ModelFailure, strikes: number, underWay: number, now: number): void {
    const isOverload = failure.kind === 'overloaded';
    // A used-up quota says nothing about the pace. When it is reset, one request finds that out.
    if ((failure.retryAfterMs ?? 0) > maxPacedMs) {
      this.#isProbing = true;
      return;
    }
    // Requests that probe for the end of an outage say nothing about the capacity.
    if (strikes === 1) {
      this.#streak++;
      this.#ramp.refuse(underWay / this.neighbours.share, isOverload);
    }
    if (!isOverload) {
      const own = this.measured(now);
      this.#pace.refuse(this.gate.openTime(now), own && own / this.neighbours.share);
    }
    this.#isProbing = isOverload || failure.retryAfterMs === undefined || strikes > 1;
  }

  /** How long to wait: what the provider asks for, or longer each time, plus a little at random. */
  #patience({ retryAfterMs }: ModelFailure, strikes: number, now: number): number {
    const steps = retryAfterMs === undefined ? strikes - 1 : strikes - 3;
    // Probing for the end of an outage more often than one would send anyway finds it no sooner.
    const usual = this.intervalMs(now) * this.neighbours.share;
    const first = Math.min(Math.max(firstDelayMs, usual), maxFirstDelayMs);
    const backoff = steps < 0 ? 0 : Math.min(Math.round(first * growth ** Math.min(steps, 20)), maxDelayMs);
    const delay = Math.max(retryAfterMs ?? 0, backoff);
    return Math.min(Math.ceil(delay + this.#random() * Math.min(delay / 4, maxJitterMs)), maxHoldMs);
  }

  #holdAll(forMs: number, why: Pick<Hold, 'cause' | 'status' | 'said'>, now: number): void {
    const hold = { at: this.#clock.now(), delayMs: forMs, ...why };
    if (now + forMs > this.#ownHold.until) this.#ownHold = { hold, until: now + forMs };
    this.#close(forMs, hold, now);
  }

  /** Processes that wait for the same time must not all come at once. */
  #close(forMs: number, hold: Hold, now: number): void {
    if (!this.gate.close(forMs, hold, now)) return;
    const { share } = this.neighbours;
    const spread = share === 1 ? 0 : this.#random() * (this.intervalMs(now) || spreadMs / share);
    this.#notBefore = this.gate.until + spread;
    this.#slotAt = undefined;
  }

  /** Others' reports are not repeated: their notes outlive them, and repeating would never end. */
  #tell(now: number): void {
    const { hold, until } = this.#ownHold;
    const held = now < until ? hold : undefined;
    this.neighbours.tell({ hold: held, estimate: this.#estimate, ease: this.#ownEase }, now);
  }

  /** Told in steps, so that a file is written a few times per process and not per request. */
  #learnEase(now: number): void {
    const window = Math.floor(this.#ramp.window);
    if (window <= this.#start || this.isLimited(now)) return;
    const known = this.#isEasy(this.#ease) ? this.#ease : undefined;
    const at = this.#clock.now();
    if (known && window < known.window * easeStep && at - known.at < easeMemoryMs / 4) return;
    this.#ease = { at, window: Math.max(window, known?.window ?? 0) };
    this.#ownEase = this.#ease;
    this.#tell(now);
  }

  /** Whether it still holds: it is recent, and nothing was refused since. One from the future comes from a clock that jumped. */
  #isEasy(ease: Ease | undefined): boolean {
    if (!ease) return false;
    const age = this.#clock.now() - ease.at;
    return age > -worthTellingMs && age < easeMemoryMs && ease.at > (this.#estimate?.refusedAt ?? 0);
  }

  #lookAround(now: number): void {
    const peers = this.neighbours.look(now);
    if (!peers) return;
    for (const { hold, forMs } of this.neighbours.newHolds(peers)) this.#close(forMs, hold, now);
    for (const { note } of peers) if (note.estimate) this.#adopt(note.estimate, now);
    for (const { note } of peers) if (note.ease) this.#trust(note.ease, now);
    this.neighbours.forgetUseless(peers, this.#estimate, this.#isEasy(this.#ease) ? this.#ease : undefined);
  }

  #trust(ease: Ease, now: number): void {
    if (this.isLimited(now) || !this.#isEasy(ease)) return;
    if (ease.window <= (this.#ease?.window ?? 0)) return;
    this.#ease = ease;
    // It was told in steps: up to a step more was accepted.
    this.#ramp.trust(Math.ceil(ease.window * easeStep));
  }

  /** The newest refusal is used, whichever process got it. One from the future comes from a clock that jumped. */
  #adopt(estimate: Estimate, now: number): void {
    const age = this.#clock.now() - estimate.refusedAt;
    if (age < -worthTellingMs || age > memoryMs) return;
    const ours = this.#estimate;
    const isKnown = ours?.refusedAt === estimate.refusedAt;
    if (ours && (isKnown ? estimate.strikes >= ours.strikes : estimate.refusedAt < ours.refusedAt)) return;
    this.#estimate = estimate;
    this.#isProbing = estimate.strikes > 1;
    if (isKnown) return;
    if (estimate.strikes === 1) this.#streak++;
    this.#refusedAt = now - age;
    this.#ramp.adopt(estimate.window);
    const { capacity = Number.POSITIVE_INFINITY, isGuess = false } = estimate;
    // An overload does not change the pace, which then continues from where it is.
    if (capacity !== this.#pace.capacity) this.#pace.set(capacity, this.gate.openTime(now) - age, isGuess);
  }
}

const firstDelayMs = 500;
const maxFirstDelayMs = 5_000;
const maxDelayMs = 30_000;
const growth = 1.6;
const maxJitterMs = 1_000;
/** A timer that fires late does not slow the pace down. */
const catchUpMs = 50;
const spreadMs = 200;
const gapPart = 0.85;
const easeStep = 1.25;
const worthTellingMs = 1_000;
