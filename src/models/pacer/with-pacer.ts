import { sleep } from '../../lib/clock.ts';
import type { Asker, Model, ModelEvent } from '../../protocol/index.ts';
import { Attempts, defaultAttempts, isRefusal } from '../attempts.ts';
import type { Lane } from './lane.ts';
import type { Pacer } from './pacer.ts';
import type { Permit, Ticket } from './ticket.ts';

export interface PacedOptions {
  /** For failures of the server or the network, the first attempt included. A refusal is never counted. */
  maxAttempts?: number;
  /** A longer announced wait is given up: the request fails. If absent, no wait is. */
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
      const lane = pacer.lane(model);
      const ticket = lane.open(request.asker ?? anyAsker);
      try {
        lane.enter(ticket);
        const attempts = new Attempts(maxAttempts);
        for (let attempt = 1; ; attempt++) {
          const atOnce = attempt === 1 ? ticket.permit : undefined;
          const turn = atOnce ?? (yield* waitForTurn(lane, ticket, signal, maxWaitMs));
          if (turn === 'aborted') return yield aborted;
          if ('tooLong' in turn) return yield giveUp(turn.tooLong);
          const permit = turn;
          const watch = new Watch(permit);
          for await (const event of model.stream(request, signal))
            for (const passed of watch.take(event)) yield passed;
          const { failed } = watch;
          if (!failed) return;
          // Tokens that were counted before it failed have to be paid for.
          const { failure, usage } = failed;
          if (isRefusal(failure)) {
            permit.refuse(failure);
            lane.enter(ticket, true);
            const delayMs = lane.expectedMs(ticket);
            const isTooLong = delayMs > maxWaitMs;
            const last = isTooLong ? { isLast: true as const } : {};
            yield { type: 'request_retried', attempt, delayMs, failure, usage, ...last };
            if (isTooLong) return yield giveUp(lane.describeWait(delayMs));
          } else {
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

/** The announced wait is reported once more, as the reason why the run ends. */
function giveUp(message: string): ModelEvent {
  return { type: 'response_failed', failure: { kind: 'rate_limited', message, unsent: true } };
}

async function* waitForTurn(
  lane: Lane,
  ticket: Ticket,
  signal: AbortSignal,
  maxWaitMs: number,
): AsyncGenerator<ModelEvent, Permit | 'aborted' | { tooLong: string }> {
  for (;;) {
    for (let wait = await ticket.news(signal); wait; wait = await ticket.news(signal)) {
      yield { type: 'request_waited', ...wait };
      if (wait.delayMs > maxWaitMs) return { tooLong: wait.reason };
    }
    if (signal.aborted || !ticket.permit) return 'aborted';
    if (ticket.permit.isStillGood()) return ticket.permit;
    ticket.permit.end();
    lane.enter(ticket);
  }
}

/**
 * Passes events on, and informs the permit. A failure is held back: `failed`. Not a generator, since every piece of
 * every answer comes through here.
 */
class Watch {
  readonly #permit: Permit;
  #held: ModelEvent[] = [];
  failed: Failed | undefined;

  constructor(permit: Permit) {
    this.#permit = permit;
  }

  take(event: ModelEvent): ModelEvent[] {
    if (event.type === 'limits_reported') {
      this.#permit.report(event.limits);
      return [event];
    }
    if (event.type === 'response_failed') {
      this.failed = event;
      return [];
    }
    this.#permit.accept();
    if (event.type === 'response_ended') this.#permit.learn(event.message.usage);
    // An answer that fails before its first block was never begun for the reader.
    if (event.type === 'response_started') {
      this.#held.push(event);
      return [];
    }
    return this.#held.length === 0 ? [event] : [...this.#held.splice(0), event];
  }
}
