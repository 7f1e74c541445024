import { formatTime } from '../../lib/text/duration.ts';
import type { Asker, Model, ModelFailure } from '../../protocol/index.ts';
import { maxPacedMs } from './note.ts';
import { type HeldBack, type PacerWait, Ticket } from './ticket.ts';
import { Turns } from './turns.ts';
import { ProviderView, type ViewOptions } from './view.ts';
import { holdReason, suspensionReason, turnReason } from './words.ts';

/** All requests of this process that share one limit: which goes next, and when. */
export class Lane {
  readonly model: Pick<Model, 'id' | 'limitGroup'>;
  readonly #clock: ViewOptions['clock'];
  readonly #view: ProviderView;
  readonly #turns = new Turns<Ticket>();
  readonly #sessions = new Map<string, number>();
  #underWay = 0;
  #unanswered = 0;
  #probe: object | undefined;
  #lastSent = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  constructor(
    model: Pick<Model, 'id' | 'limitGroup'>,
    /** The name in the store. */
    key: string,
    options: ViewOptions,
  ) {
    this.model = model;
    this.#clock = options.clock;
    this.#view = new ProviderView(key, options);
  }

  /** Every ticket is left in the end. */
  open(asker: Asker): Ticket {
    this.#count(asker.sessionId, 1);
    return new Ticket(asker, this.#clock.monotonic());
  }

  /** Grants the permit at once or later; reports a wait to the ticket, unless its owner already knows. */
  enter(ticket: Ticket, isKnown = false): void {
    const now = this.#clock.monotonic();
    this.#rest(now);
    const ahead = this.#turns.size;
    ticket.enteredAt = now;
    this.#turns.add(ticket);
    this.#pump(now);
    if (ticket.permit) return;
    if (isKnown) ticket.toldUntil = now + this.#expectedMs(ticket.streak === undefined ? ahead : 0, now);
    else this.#tell(ticket, ahead, now);
  }

  leave(ticket: Ticket): void {
    this.#turns.remove(ticket);
    this.#count(ticket.asker.sessionId, -1);
    ticket.permit?.end();
    if (this.#turns.size === 0) this.#stopTimer();
    const now = this.#clock.monotonic();
    if (this.#view.isLimited(now)) this.#view.refresh(now);
  }

  /** How long a ticket that has just entered will have to wait, as far as is known. */
  expectedMs(ticket: Ticket): number {
    return Math.max(0, Math.ceil(ticket.toldUntil - this.#clock.monotonic()));
  }

  /** Undefined while the provider accepts requests. */
  describeWait(ticket: Ticket): PacerWait | undefined {
    const now = this.#clock.monotonic();
    const hold = this.#describeHold(now);
    if (!hold) return undefined;
    return { reason: this.#reasonOf(hold), delayMs: Math.max(hold.forMs, this.expectedMs(ticket)), hold };
  }

  /** Requests that wait for their turn fail. */
  breakOff(failure: ModelFailure): void {
    for (const ticket of [...this.#turns]) {
      this.#turns.remove(ticket);
      ticket.breakOff(failure);
    }
    this.#stopTimer();
  }

  #pump(now: number): void {
    this.#stopTimer();
    const before = this.#view.gate.until;
    while (this.#turns.size > 0) {
      const until = this.#blockedUntil(now);
      if (until > now) {
        const ms = Math.min(until - now, maxTimerMs);
        this.#cancelTimer = this.#clock.after(Math.ceil(ms), () => this.#pump(this.#clock.monotonic()));
        break;
      }
      const ticket = this.#turns.take(now, this.#view.streak);
      if (ticket) this.#grant(ticket, now);
    }
    if (this.#view.gate.until > Math.max(before, now)) this.#tellAll(now);
  }

  /**
   * When a request may be sent; now or earlier means at once. Anything that depends on the end of another is checked
   * again later.
   */
  #blockedUntil(now: number): number {
    const view = this.#view;
    view.refresh(now);
    if (now < view.notBefore) return view.notBefore;
    if (view.isProbing && this.#probe) return now + lookAgainMs;
    if (this.#underWay >= view.window) {
      if (view.isLimited(now)) return now + lookAgainMs;
      if (now - this.#lastSent < openEveryMs) return this.#lastSent + openEveryMs;
      view.open();
    }
    view.takeSlot(now);
    return view.notBefore;
  }

  #grant(ticket: Ticket, now: number): void {
    const view = this.#view;
    const key = {};
    let isAnswered = false;
    let isOver = false;
    const answered = () => {
      if (isAnswered) return false;
      isAnswered = true;
      this.#unanswered--;
      if (this.#probe === key) this.#probe = undefined;
      return true;
    };
    const end = () => {
      if (isOver) return;
      isOver = true;
      answered();
      this.#underWay--;
      ticket.permit = undefined;
    };
    this.#underWay++;
    this.#unanswered++;
    this.#lastSent = now;
    if (view.isProbing) this.#probe = key;
    view.send(now);
    ticket.grant({
      isStillGood: () => !view.isRefusing(this.#clock.monotonic()),
      accept: () => {
        if (!answered()) return;
        const at = this.#clock.monotonic();
        view.accept(now, this.#underWay, at);
        if (this.#turns.size > 0) this.#pump(at);
      },
      refuse: (failure) => {
        const at = this.#clock.monotonic();
        if (view.refuse(failure, now, this.#underWay, at)) ticket.faults++;
        end();
        ticket.streak = view.streak;
        this.#tellAll(at);
        this.#pump(at);
      },
      report: (limits) =>
        view.report(limits, this.#unanswered - (isAnswered ? 0 : 1), this.#clock.monotonic()),
      learn: (usage) => view.learn(usage),
      end: () => {
        if (isOver) return;
        end();
        if (this.#turns.size > 0) this.#pump(this.#clock.monotonic());
      },
    });
  }

  #tellAll(now: number): void {
    let ahead = 0;
    for (const ticket of this.#turns) {
      if (this.#view.gate.until > ticket.toldUntil + worthTellingMs) this.#tell(ticket, ahead, now);
      ahead++;
    }
  }

  #tell(ticket: Ticket, ahead: number, now: number): void {
    const view = this.#view;
    const delayMs = this.#expectedMs(ahead, now);
    ticket.toldUntil = now + delayMs;
    const hold = this.#describeHold(now);
    if (hold) ticket.tell({ reason: this.#reasonOf(hold), delayMs, hold });
    else if (delayMs >= shortMs || (view.isLimited(now) && view.notBefore <= now))
      ticket.tell({ reason: turnReason(this.model.id, this.#underWay, ahead), delayMs });
  }

  #describeHold(now: number): HeldBack | undefined {
    const { until, hold } = this.#view.gate;
    const forMs = until - now;
    if (forMs <= 0 || !hold) return undefined;
    const reason = hold.said ?? holdReason(this.model.id, hold, forMs);
    return { forMs, until: this.#clock.now() + forMs, reason };
  }

  #reasonOf({ forMs, until, reason }: HeldBack): string {
    return forMs > maxPacedMs || this.#view.gate.hold?.said !== undefined
      ? suspensionReason(reason, forMs, formatTime(until, this.#clock.now()))
      : reason;
  }

  #expectedMs(ahead: number, now: number): number {
    const view = this.#view;
    const untilOpen = Math.max(0, view.notBefore - now);
    if (!view.isLimited(now)) return Math.ceil(untilOpen + (ahead + 1) * openEveryMs);
    const measured = view.measured(now);
    const interval = view.intervalMs(now) || (measured ? 1_000 / measured : 0);
    return Math.ceil(untilOpen + ahead * interval);
  }

  #count(sessionId: string, change: number): void {
    const count = (this.#sessions.get(sessionId) ?? 0) + change;
    if (count > 0) this.#sessions.set(sessionId, count);
    else this.#sessions.delete(sessionId);
    this.#view.neighbours.sessions = this.#sessions.size;
  }

  #rest(now: number): void {
    if (this.#underWay === 0 && now - this.#lastSent > silenceMs && !this.#view.isLimited(now))
      this.#view.rest();
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}

const lookAgainMs = 1_000;
/** The wall clock is looked at in between: a machine may sleep. */
const maxTimerMs = 60_000;
/** Beyond the window, as long as nothing was refused. */
const openEveryMs = 50;
const worthTellingMs = 1_000;
const shortMs = 100;
const silenceMs = 60_000;
