import { type Clock, sleep } from '../../src/lib/clock.ts';
import type { Model, ModelEvent, ModelFailure } from '../../src/protocol/index.ts';
import type { Random } from './random.ts';

export interface StormOptions {
  clock: Clock;
  random: Random;
  /** The token bucket: requests per second, and how many can be saved up. */
  rate: number;
  burst: number;
  /** For how long the storm lasts. Overload comes and goes; it takes up a fifth of this. */
  durationMs: number;
  /** From sending to the first sign of an answer or a refusal, and from there to the end. */
  latencyMs: readonly [least: number, most: number];
  answerMs: readonly [least: number, most: number];
}

/** A provider in trouble, which keeps account of how it is treated. */
export interface StormProvider {
  readonly model: Model;
  readonly account: {
    requests: number;
    answered: number;
    /** 429 and 529. */
    refused: [number, number];
    /** Requests that were sent while a `retry-after` that had been delivered was still running. */
    early: number;
  };
}

export function stormProvider(options: StormOptions): StormProvider {
  const { clock, random } = options;
  const account: StormProvider['account'] = { requests: 0, answered: 0, refused: [0, 0], early: 0 };
  const isDown = outages(options);
  const takeToken = tokenBucket(options);
  const between = ([least, most]: readonly [number, number]) => least + random.below(most - least + 1);
  let delivered: { at: number; until: number }[] = [];
  const isEarly = (now: number) => {
    delivered = delivered.filter(({ until }) => now < until);
    return delivered.some(({ at }) => at < now);
  };

  /** Decided on arrival, as real ones do. */
  const refusal = (): ModelFailure | undefined => {
    if (isDown(clock.monotonic())) {
      account.refused[1]++;
      return { kind: 'overloaded', message: 'Overloaded', status: 529 };
    }
    const waitMs = takeToken(clock.monotonic());
    if (waitMs === 0) return undefined;
    account.refused[0]++;
    // The header is in whole seconds.
    const retryAfterMs = Math.ceil(waitMs / 1_000) * 1_000;
    return { kind: 'rate_limited', message: 'Too many requests', status: 429, retryAfterMs };
  };

  return {
    account,
    model: {
      id: 'storm/model',
      facts: { window: 200_000, maxOutput: 8_000, images: false, thinking: [], known: true },
      async *stream(_, signal): AsyncGenerator<ModelEvent> {
        account.requests++;
        if (isEarly(clock.monotonic())) account.early++;
        const latency = between(options.latencyMs);
        await sleep(clock, latency / 2, signal);
        const failure = refusal();
        await sleep(clock, latency / 2, signal);
        if (failure) {
          const at = clock.monotonic();
          delivered.push({ at, until: at + (failure.retryAfterMs ?? 0) });
          return yield { type: 'response_failed', failure };
        }
        yield { type: 'response_started', id: 'answer', model: 'model' };
        await sleep(clock, between(options.answerMs), signal);
        account.answered++;
        yield { type: 'response_ended', message: answer };
      },
    },
  };
}

const answer = {
  role: 'assistant' as const,
  id: 'answer',
  model: 'model',
  content: [{ type: 'text' as const, text: 'done' }],
  stop_reason: 'end_turn' as const,
  usage: { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
};

/** Returns 0 and takes a token, or how long until there is one. */
function tokenBucket({ rate, burst }: StormOptions): (now: number) => number {
  let tokens = burst;
  let filledAt = 0;
  return (now) => {
    tokens = Math.min(burst, tokens + ((now - filledAt) * rate) / 1_000);
    filledAt = now;
    if (tokens < 1) return ((1 - tokens) * 1_000) / rate;
    tokens--;
    return 0;
  };
}

/** Outages of 2 to 10 seconds, each with four times as long of good weather around it. */
function outages({ random, durationMs }: StormOptions): (now: number) => boolean {
  const times: [from: number, to: number][] = [];
  for (let at = 0; at < durationMs; ) {
    const ms = 2_000 + random.below(8_000);
    const before = random.below(4 * ms);
    times.push([at + before, at + before + ms]);
    at += 5 * ms;
  }
  return (now) => times.some(([from, to]) => now >= from && now < to);
}
