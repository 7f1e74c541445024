import { type Clock, sleep } from '../lib/clock.ts';
import type { Model, ModelEvent, ModelFailure, ModelFailureKind } from '../protocol/index.ts';

export interface RetryOptions {
  clock: Clock;
  /** Between 0 and 1, like `Math.random`. */
  random: () => number;
  /** The first one included. */
  maxAttempts?: number;
  onRetry?: (event: Extract<ModelEvent, { type: 'request_retried' }>) => void;
}

/** The first one included. */
export const defaultAttempts = 10;

/**
 * The same model, with patience: a request that fails for the moment goes out again, as long as nothing of
 * its answer has been seen. It knows nothing of other requests: that is not pacing.
 */
export function withRetry(
  model: Model,
  { clock, random, maxAttempts = defaultAttempts, onRetry }: RetryOptions,
): Model {
  return {
    id: model.id,
    facts: model.facts,
    async *stream(request, signal) {
      for (let attempt = 1; ; attempt++) {
        const failure = yield* untilEarlyFailure(model.stream(request, signal));
        if (!failure) return;
        if (attempt >= maxAttempts || !passing.has(failure.kind))
          return yield { type: 'response_failed', failure };
        const delayMs = backoff(attempt, failure, random());
        const retried = { type: 'request_retried' as const, attempt, delayMs, failure };
        onRetry?.(retried);
        yield retried;
        await sleep(clock, delayMs, signal);
        if (signal.aborted) return yield aborted;
      }
    },
  };
}

const passing = new Set<ModelFailureKind>(['rate_limited', 'overloaded', 'server', 'network']);

const aborted: ModelEvent = {
  type: 'response_failed',
  failure: { kind: 'aborted', message: 'The request was aborted while it waited to be sent again.' },
};

/** Passes events on; returns the failure when it came before any block. `response_started` waits for the block. */
async function* untilEarlyFailure(
  events: AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent, ModelFailure | undefined> {
  const held: ModelEvent[] = [];
  let early = true;
  for await (const event of events) {
    if (early && event.type === 'response_failed') return event.failure;
    if (early && event.type === 'response_started') {
      held.push(event);
      continue;
    }
    if (early) yield* held;
    early = false;
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
