import { sleep } from '../../lib/clock.ts';
import type { Asker, Model, ModelEvent, ModelFailure } from '../../protocol/index.ts';
import type { Pacer } from './pacer.ts';
import type { Ticket, Turn } from './ticket.ts';

export interface PacedOptions {
  /** For failures of the server or the network, the first attempt included. A refusal is never counted. */
  maxAttempts?: number;
}

/** The first one included. */
export const defaultAttempts = 10;

type Failed = Extract<ModelEvent, { type: 'response_failed' }>;

/**
 * The same model, paced: every request waits for its turn, and one that is refused, or fails for the moment, goes out
 * again as long as nothing of its answer has been seen.
 */
export function withPacer(model: Model, pacer: Pacer, options: PacedOptions = {}): Model {
  const { maxAttempts = defaultAttempts } = options;
  const { clock, random } = pacer;
  return {
    id: model.id,
    facts: model.facts,
    async *stream(request, signal) {
      const lane = pacer.lane(model.id);
      const ticket = lane.open(request.asker ?? somebody);
      try {
        lane.enter(ticket);
        for (let attempt = 1, troubles = 0; ; attempt++) {
          const turn = ticket.turn ?? (yield* waitForTurn(ticket, signal));
          if (!turn) return yield aborted;
          const failed = yield* watch(model.stream(request, signal), turn);
          if (!failed) return;
          const { failure } = failed;
          if (isRefusal(failure)) {
            turn.refuse(failure);
            lane.enter(ticket, true);
            yield { type: 'request_retried', attempt, delayMs: lane.expectedMs(ticket), failure };
          } else {
            turn.end();
            if (!isTrouble(failure) || ++troubles >= maxAttempts) return yield failed;
            const delayMs = backoff(troubles, failure, random());
            yield { type: 'request_retried', attempt, delayMs, failure };
            await sleep(clock, delayMs, signal);
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

const somebody: Asker = { sessionId: '', agentId: null, priority: 'foreground' };

const aborted: ModelEvent = {
  type: 'response_failed',
  failure: { kind: 'aborted', message: 'The request was aborted while it waited to be sent.' },
};

function isRefusal({ kind }: ModelFailure): boolean {
  return kind === 'rate_limited' || kind === 'overloaded';
}

function isTrouble({ kind }: ModelFailure): boolean {
  return kind === 'server' || kind === 'network';
}

async function* waitForTurn(
  ticket: Ticket,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, Turn | undefined> {
  for (let wait = await ticket.news(signal); wait; wait = await ticket.news(signal))
    yield { type: 'request_waited', ...wait };
  return signal.aborted ? undefined : ticket.turn;
}

/** Passes events on, and the turn takes note. Returns the failure when it came before any block. */
async function* watch(
  events: AsyncIterable<ModelEvent>,
  turn: Turn,
): AsyncGenerator<ModelEvent, Failed | undefined> {
  const held: ModelEvent[] = [];
  let isEarly = true;
  for await (const event of events) {
    if (event.type === 'limits_reported') turn.report(event.limits);
    if (event.type === 'response_failed') {
      if (isEarly) return event;
      if (isRefusal(event.failure)) turn.refuse(event.failure);
    } else if (event.type !== 'limits_reported') {
      turn.accept();
    }
    if (event.type === 'response_ended') turn.learn(event.message.usage);
    if (event.type === 'response_started') {
      held.push(event);
      continue;
    }
    if (event.type !== 'limits_reported') {
      isEarly = false;
      yield* held.splice(0);
    }
    yield event;
  }
  return undefined;
}

const firstDelayMs = 500;
const longestDelayMs = 32_000;

/** Doubles, with up to a quarter more at random. A provider that names a time is never asked before it. */
function backoff(attempt: number, { retryAfterMs }: ModelFailure, random: number): number {
  const doubled = Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs);
  return Math.round(Math.max(doubled, retryAfterMs ?? 0) * (1 + random / 4));
}
