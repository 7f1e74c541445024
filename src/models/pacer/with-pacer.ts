import { sleep } from '../../lib/clock.ts';
import type { Asker, Model, ModelEvent, ModelFailure } from '../../protocol/index.ts';
import { Attempts, defaultAttempts, isRefusal, isTerminal } from '../attempts.ts';
import { describeUnsent } from './breaker.ts';
import type { Lane } from './lane.ts';
import type { Pacer } from './pacer.ts';
import { Patience } from './patience.ts';
import type { Permit, Ticket } from './ticket.ts';

export interface PacedOptions {
  /** For failures of the server or the network, the first attempt included. A refusal is never counted. */
  maxAttempts?: number;
  /** A longer wait for a limit is given up: the request fails. If absent, none is. */
  maxWaitMs?: number | undefined;
}

type Failed = Extract<ModelEvent, { type: 'response_failed' }>;

/**
 * The same model, paced: every request waits for its turn, and one that is refused, or fails temporarily, is sent again.
 * Nothing acts on an answer before its end, so that holds at every position of it: the part that came is dropped.
 */
export function withPacer(model: Model, pacer: Pacer, options: PacedOptions = {}): Model {
  const { maxAttempts = defaultAttempts, maxWaitMs = Number.POSITIVE_INFINITY } = options;
  const { clock, random } = pacer;
  return {
    id: model.id,
    facts: model.facts,
    async *stream(request, signal) {
      const broken = pacer.findBreak(model);
      if (broken) return yield notSent(broken);
      const lane = pacer.lane(model);
      const ticket = lane.open(request.asker ?? anyAsker);
      const patience = new Patience(model.id, clock, maxWaitMs);
      try {
        lane.enter(ticket);
        const attempts = new Attempts(maxAttempts);
        for (let attempt = 1; ; attempt++) {
          const atOnce = attempt === 1 ? ticket.permit : undefined;
          const turn = atOnce ?? (yield* waitForTurn(lane, ticket, signal, patience));
          if (turn === 'aborted') return yield aborted;
          if ('kind' in turn) return yield { type: 'response_failed', failure: turn };
          const permit = turn;
          const late = pacer.findBreak(model);
          if (late) return yield notSent(late);
          const watch = new Watch(permit, () => pacer.noteSuccess(model));
          for await (const event of model.stream(request, signal))
            for (const passed of watch.take(event)) yield passed;
          const { failed } = watch;
          if (!failed) return;
          // Tokens that were counted before it failed have to be paid for.
          const { failure, usage } = failed;
          if (isRefusal(failure)) {
            permit.refuse(failure);
            lane.enter(ticket, true);
            const wait = lane.describeWait(ticket);
            const tooLong = wait && patience.giveUp(wait);
            const last = tooLong ? { isLast: true as const } : {};
            const delayMs = lane.expectedMs(ticket);
            yield { type: 'request_retried', attempt, delayMs, failure, usage, ...last };
            if (wait && patience.isSuspension(wait)) yield patience.announce(wait);
            if (tooLong) return yield { type: 'response_failed', failure: tooLong };
          } else {
            // Before its place is free for the next one.
            if (isTerminal(failure)) pacer.breakOff(model, failure);
            permit.end();
            const delayMs = attempts.next(failure, random());
            if (delayMs === undefined) return yield failed;
            yield { type: 'request_retried', attempt, delayMs, failure, usage };
            if (delayMs > 0) await sleep(clock, delayMs, signal);
            if (signal.aborted) return yield aborted;
            lane.enter(ticket);
          }
        }
      } finally {
        lane.leave(ticket);
      }
    },
  };
}

const anyAsker: Asker = { sessionId: '', agentId: null, priority: 'foreground' };

const aborted: ModelEvent = {
  type: 'response_failed',
  failure: { kind: 'aborted', message: 'The request was aborted while waiting to be sent.', unsent: true },
};

function notSent(failure: ModelFailure): ModelEvent {
  return { type: 'response_failed', failure: describeUnsent(failure) };
}

async function* waitForTurn(
  lane: Lane,
  ticket: Ticket,
  signal: AbortSignal,
  patience: Patience,
): AsyncGenerator<ModelEvent, Permit | 'aborted' | ModelFailure> {
  for (;;) {
    for (let wait = await ticket.news(signal); wait; wait = await ticket.news(signal)) {
      yield patience.announce(wait);
      const tooLong = patience.giveUp(wait);
      if (tooLong) return tooLong;
    }
    if (signal.aborted) return 'aborted';
    if (ticket.broken) return describeUnsent(ticket.broken);
    if (!ticket.permit) return 'aborted';
    if (ticket.permit.isStillGood()) {
      // Others act on this, and may take their time: the request is not sent before they have.
      if (patience.isSuspended) yield patience.announceEnd();
      if (ticket.permit?.isStillGood()) return ticket.permit;
    }
    ticket.permit?.end();
    lane.enter(ticket);
  }
}

/**
 * Passes events on, and informs the permit. A failure is held back: `failed`. Not a generator, since every piece of
 * every answer comes through here.
 */
class Watch {
  #held: ModelEvent[] = [];
  failed: Failed | undefined;

  constructor(
    private readonly permit: Permit,
    private readonly succeed: () => void,
  ) {}

  take(event: ModelEvent): ModelEvent[] {
    if (event.type === 'limits_reported') {
      this.permit.report(event.limits);
      return [event];
    }
    if (event.type === 'response_failed') {
      this.failed = event;
      return [];
    }
    this.permit.accept();
    if (event.type === 'response_ended') {
      this.permit.learn(event.message.usage);
      this.succeed();
    }
    // An answer that fails before its first block was never begun for the reader.
    if (event.type === 'response_started') {
      this.#held.push(event);
      return [];
    }
    return this.#held.length === 0 ? [event] : [...this.#held.splice(0), event];
  }
}
