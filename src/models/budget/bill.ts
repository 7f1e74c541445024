import {
  type ModelEvent,
  type ModelFailure,
  type ModelFailureKind,
  promptTokens,
  totalTokens,
  type Usage,
} from '../../protocol/index.ts';
import { computeCost, type Price } from '../prices.ts';
import type { SettleEnd } from './treasury.ts';

/** Follows one answer and determines what it cost. */
export class Bill {
  #isStarted = false;
  #streamedBytes = 0;
  readonly #openThinking = new Set<number>();
  /** A fallback model answers: its counts say nothing of the first model. */
  isFallback = false;

  constructor(
    private model: string,
    private readonly findPrice: (model: string) => Price | undefined,
  ) {}

  note(event: ModelEvent): void {
    if (event.type === 'fallback_taken') {
      this.model = event.to;
      this.isFallback = true;
    }
    if (event.type === 'response_started') this.#begin(true);
    if (event.type === 'block_started' && event.block.type === 'thinking')
      this.#openThinking.add(event.index);
    if (event.type === 'block_ended') this.#openThinking.delete(event.index);
    if (event.type === 'block_delta') this.#streamedBytes += countBytes(event.delta);
  }

  /** The attempt was lost; another one follows. */
  forget(): void {
    this.#begin(false);
  }

  /**
   * A complete answer. Some servers report no counts, or only half of them: the counts that exist are what it cost, and
   * for the others its reservation stays held.
   */
  ofAnswer(usage: Usage): SettleEnd {
    if (totalTokens(usage) === 0) return { how: 'reserved' };
    const isPartial = promptTokens(usage) === 0 || (usage.output_tokens === 0 && this.#streamedBytes > 0);
    return this.#reported(usage, isPartial);
  }

  /**
   * A failed request. A provider charges neither for refusals nor for requests that it did not answer; an answer that
   * broke off may have cost anything up to its reservation, unless the provider had counted it. Its output counts may lag
   * behind, so every byte received is taken for a token. Unfinished thinking may not have been sent at all: for that the
   * rest of the reservation stays held.
   */
  ofFailure(failure: ModelFailure, usage: Usage | undefined, maxOutput: number): SettleEnd {
    if (usage && promptTokens(usage) > 0) {
      const seen = Math.min(this.#streamedBytes, maxOutput);
      const counted = { ...usage, output_tokens: Math.max(usage.output_tokens, seen) };
      return this.#reported(counted, this.#openThinking.size > 0);
    }
    return this.isFree(failure) ? { how: 'unsent' } : { how: 'reserved' };
  }

  isFree({ kind, status, unsent, unanswered }: ModelFailure): boolean {
    if (unsent || unanswered) return true;
    return !this.#isStarted && ((status !== undefined && status >= 400) || refusals.has(kind));
  }

  #begin(isStarted: boolean): void {
    this.#isStarted = isStarted;
    this.#streamedBytes = 0;
    this.#openThinking.clear();
  }

  #reported(usage: Usage, holdsRest: boolean): SettleEnd {
    const price = this.findPrice(this.model);
    return {
      how: 'reported',
      model: this.model,
      usage,
      microUsd: price ? computeCost(usage, price) : null,
      tokens: totalTokens(usage),
      holdsRest,
    };
  }
}

/** The provider's own statement that it did nothing. A broken connection is not among them. */
const refusals: ReadonlySet<ModelFailureKind> = new Set([
  'authentication',
  'billing',
  'rate_limited',
  'overloaded',
  'invalid_request',
  'context_overflow',
  'model_not_found',
  'out_of_budget',
]);

function countBytes(delta: Extract<ModelEvent, { type: 'block_delta' }>['delta']): number {
  switch (delta.type) {
    case 'text':
      return Buffer.byteLength(delta.text);
    case 'thinking':
      return Buffer.byteLength(delta.thinking);
    case 'tool_input':
      return Buffer.byteLength(delta.json);
    case 'signature':
      return delta.signature.length;
  }
}
