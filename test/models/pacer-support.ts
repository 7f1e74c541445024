import type { ManualClock } from '../../src/lib/clock.ts';
import type { Asker, Model, ModelEvent, ModelFailure, ModelRequest } from '../../src/protocol/index.ts';

export const limited: ModelFailure = {
  kind: 'rate_limited',
  message: 'slow down',
  status: 429,
  retryAfterMs: 8_000,
};
export const busy: ModelFailure = { kind: 'overloaded', message: 'busy', status: 529 };

export function requestOf(asker?: Partial<Asker>): ModelRequest {
  const given = { sessionId: 'session', agentId: null, priority: 'foreground' as const, ...asker };
  return {
    system: [],
    tools: [],
    messages: [],
    maxOutputTokens: 1,
    thinking: { type: 'off' },
    ...(asker ? { asker: given } : {}),
  };
}

export async function collect(
  model: Model,
  request = requestOf(),
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal)) events.push(event);
  return events;
}

/** Lets whatever is ready run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Moves the clock from timer to timer until the work is done. */
export async function drive<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  for (await settle(); !isDone; await settle()) clock.advance(clock.untilNext() ?? 0);
  return work;
}

export function only<K extends ModelEvent['type']>(
  events: readonly ModelEvent[],
  type: K,
): Extract<ModelEvent, { type: K }>[] {
  return events.filter((event): event is Extract<ModelEvent, { type: K }> => event.type === type);
}

/** A model whose requests are answered by hand, in the order in which they were sent. */
export function heldModel(): Model & {
  sent: ModelRequest[];
  answer(): void;
  refuse(failure: ModelFailure): void;
} {
  const sent: ModelRequest[] = [];
  const open: ((failure: ModelFailure | undefined) => void)[] = [];
  return {
    id: 'held/model',
    facts: { window: 1_000, maxOutput: 100, images: false, thinking: [], known: true },
    sent,
    answer: () => open.shift()?.(undefined),
    refuse: (failure) => open.shift()?.(failure),
    async *stream(request) {
      sent.push(request);
      const failure = await new Promise<ModelFailure | undefined>((resolve) => open.push(resolve));
      if (failure) return yield { type: 'response_failed', failure };
      yield { type: 'response_started', id: 'a', model: 'model' };
      yield {
        type: 'response_ended',
        message: {
          role: 'assistant',
          id: 'a',
          model: 'model',
          content: [],
          stop_reason: 'end_turn',
          usage: {
            input_tokens: 0,
            output_tokens: 0,
            cache_read_input_tokens: 0,
            cache_creation_input_tokens: 0,
          },
        },
      };
    },
  };
}
