import type { Model, ModelEvent, ModelRequest } from '../protocol/index.ts';

export interface FallbackOptions {
  /** A longer announced wait than this is not waited for. */
  afterMs?: number;
}

const defaultAfterMs = 30_000;

/**
 * The same model, but another one answers when the wait for the first would be long. Only this request: the next one
 * asks the first model again. If the other one cannot answer either, the first is waited for after all.
 */
export function withFallback(model: Model, fallback: Model, options: FallbackOptions = {}): Model {
  const { afterMs = defaultAfterMs } = options;
  if (model.id === fallback.id) return model;
  return {
    id: model.id,
    facts: model.facts,
    async *stream(request, signal) {
      const first = yield* untilTrouble(
        model.stream(request, signal),
        (event) => measureWait(event) > afterMs,
      );
      if (!first) return;
      yield { type: 'fallback_taken', from: model.id, to: fallback.id, reason: findReason(first) };
      const second = yield* untilTrouble(
        fallback.stream(fitting(request, fallback), signal),
        (event) => measureWait(event) >= measureWait(first) || isRefused(event, signal),
      );
      if (!second) return;
      yield { type: 'fallback_taken', from: fallback.id, to: model.id, reason: findReason(second) };
      yield* model.stream(request, signal);
    },
  };
}

/**
 * Passes events on. Returns the one that makes it fail, as long as nothing of an answer has been seen. A lost attempt
 * is reported in any case, since it may have to be paid for.
 */
async function* untilTrouble(
  events: AsyncIterable<ModelEvent>,
  isTrouble: (event: ModelEvent) => boolean,
): AsyncGenerator<ModelEvent, ModelEvent | undefined> {
  let isAnswered = false;
  for await (const event of events) {
    // What was seen of an answer is dropped when it is asked for again.
    if (event.type === 'request_retried') isAnswered = false;
    if (!isAnswered && isTrouble(event)) {
      if (event.type === 'request_retried') yield { ...event, isLast: true };
      if (event.type === 'response_failed')
        yield { type: 'request_retried', attempt: 1, delayMs: 0, failure: event.failure, isLast: true };
      return event;
    }
    isAnswered ||= event.type.startsWith('block_') || event.type.startsWith('response_');
    yield event;
  }
  return undefined;
}

function measureWait(event: ModelEvent): number {
  return event.type === 'request_waited' || event.type === 'request_retried' ? event.delayMs : 0;
}

function isRefused(event: ModelEvent, signal: AbortSignal): boolean {
  return event.type === 'response_failed' && !signal.aborted;
}

function findReason(event: ModelEvent): string {
  switch (event.type) {
    case 'request_waited':
      return event.reason;
    case 'request_retried':
    case 'response_failed':
      return event.failure.message;
    default:
      return '';
  }
}

/** The settings for the first model may exceed what the other one supports. */
function fitting(request: ModelRequest, { facts }: Model): ModelRequest {
  return { ...request, maxOutputTokens: Math.min(request.maxOutputTokens, facts.maxOutput) };
}
