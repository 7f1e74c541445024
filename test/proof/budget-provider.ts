import { type Clock, sleep } from '../../src/lib/clock.ts';
import { computeCost, type Price } from '../../src/models/prices.ts';
import {
  type AssistantMessage,
  type Message,
  type Model,
  type ModelEvent,
  type ModelRequest,
  textOf,
  type Usage,
} from '../../src/protocol/index.ts';
import { totalTokens } from '../../src/protocol/message.ts';
import type { Random } from './random.ts';

/** What becomes of a request; most come to a good end. */
const fates = ['refused', 'broken', 'cut', 'cut-with-usage', ...Array<string>(6).fill('whole')];

/** A provider with chances of every kind, which keeps its own account of what it charges. */
export class ChancyProvider {
  readonly #id: string;
  readonly #price: Price;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #counts = new WeakMap<Message, number>();
  /** What it adds to every prompt. */
  readonly #own: number;
  charged = { microUsd: 0, tokens: 0 };
  requests = 0;
  underWay = 0;
  /** When nothing was under way last. */
  idleAt = 0;

  constructor(id: string, price: Price, clock: Clock, random: Random) {
    this.#id = id;
    this.#price = price;
    this.#clock = clock;
    this.#random = random;
    this.#own = random.below(1_000);
  }

  model(): Model {
    const provider = this;
    return {
      id: this.#id,
      facts: { window: 1_000_000, maxOutput: 128_000, images: true, thinking: ['off'], known: true },
      async *stream(request, signal) {
        const leave = provider.#enter();
        try {
          for await (const event of provider.#answer(request, signal)) {
            if (event.type === 'response_ended' || event.type === 'response_failed') leave();
            yield event;
          }
        } finally {
          leave();
        }
      },
    };
  }

  /** Counts a request as under way until the returned function is called. */
  #enter(): () => void {
    let isIn = true;
    this.requests++;
    if (this.underWay++ === 0) this.idleAt = this.#clock.monotonic();
    return () => {
      if (isIn) this.underWay--;
      isIn = false;
      if (this.underWay === 0) this.idleAt = this.#clock.monotonic();
    };
  }

  async *#answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { below } = this.#random;
    const fate = fates[below(fates.length)];
    await sleep(this.#clock, below(1_500), signal);
    if (fate === 'refused') return yield failure('rate_limited', { status: 429 });
    const usage = this.#use(request);
    if (signal.aborted) return yield failure('aborted');
    if (fate === 'broken') return yield failure('network');
    yield { type: 'response_started', id: 'r', model: this.#id };
    yield { type: 'block_started', index: 0, block: { type: 'text', text: '' } };
    const text = 'a word '.repeat(1 + below(40));
    yield { type: 'block_delta', index: 0, delta: { type: 'text', text } };
    await sleep(this.#clock, below(1_500), signal);
    if (signal.aborted) return yield failure('aborted', below(2) === 0 ? { usage } : {});
    if (fate === 'cut') return yield failure('network');
    if (fate === 'cut-with-usage') return yield failure('network', { usage });
    yield { type: 'block_ended', index: 0, block: { type: 'text', text } };
    yield { type: 'response_ended', message: messageOf(this.#id, text, usage) };
  }

  /** The prompt in any mix of classes; any part of what was allowed out, often all. Charged at once. */
  #use(request: ModelRequest): Usage {
    const { below } = this.#random;
    const prompt = request.messages.reduce((sum, message) => sum + this.#tokensOf(message), this.#own);
    const read = below(prompt + 1);
    const written = below(prompt - read + 1);
    const most = request.maxOutputTokens;
    const usage = {
      input_tokens: prompt - read - written,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: below(4) === 0 ? most : below(Math.min(most, 2_000) + 1),
    };
    this.charged.microUsd += computeCost(usage, this.#price);
    this.charged.tokens += totalTokens(usage);
    return usage;
  }

  /** A message counts the same each time: between a fifth of a token and a whole one for a byte, and a frame. */
  #tokensOf(message: Message): number {
    const bytes = Buffer.byteLength(textOf(message.content));
    const tokens = this.#counts.get(message) ?? Math.ceil((bytes * (20 + this.#random.below(81))) / 100) + 24;
    this.#counts.set(message, tokens);
    return tokens;
  }
}

function failure(
  kind: 'rate_limited' | 'network' | 'aborted',
  more: { status?: number; usage?: Usage } = {},
): ModelEvent {
  const { usage, ...rest } = more;
  return { type: 'response_failed', failure: { kind, message: kind, ...rest }, ...(usage ? { usage } : {}) };
}

function messageOf(model: string, text: string, usage: Usage): AssistantMessage {
  return {
    role: 'assistant',
    id: 'r',
    model,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage,
  };
}
