import type { AssistantBlock, ModelEvent, StopReason, Usage } from '../../protocol/index.ts';
import { noUsage } from '../../protocol/index.ts';
import { BrokenOff, IncompleteAnswer } from '../failures.ts';
import { chooseCallId, markInvalid, parseToolInput } from '../tool-input.ts';
import {
  emptyBlock,
  extendBlock,
  isGarbled,
  type OpenBlock,
  readNumber,
  readObject,
  readString,
  updateUsage,
  type Wire,
} from './blocks.ts';

/**
 * Turns the events of a Messages API stream into ours, one answer long. It is over when it `isEnded`, with
 * `response_ended` as its last event, or when there is a `failure`. A call whose input is not a whole JSON
 * object is marked as invalid. Events that come twice or out of order are a failure: something may be missing.
 */
export class AnthropicAnswer {
  readonly #open = new Map<number, OpenBlock>();
  /** Indices of blocks that we did not ask for: their events are ignored. */
  readonly #foreign = new Set<number>();
  readonly #endedPlaces = new Set<number>();
  readonly #calls = new Set<string>();
  readonly #blocks: (AssistantBlock | undefined)[] = [];
  #id = '';
  #usage: Usage = noUsage;
  #stop: StopReason | undefined;
  /** A call without an input, or with an invalid one: as it is, unless the answer turns out to be cut off here. */
  #unsureCall: OpenBlock | undefined;
  #count = 0;
  #isStarted = false;
  failure: unknown;
  isEnded = false;

  constructor(private model: string) {}

  take(event: Wire): ModelEvent[] {
    switch (event.type) {
      case 'message_start':
        return this.#start(readObject(event.message));
      case 'content_block_start':
        return this.#begin(readNumber(event.index), readObject(event.content_block));
      case 'content_block_delta':
        return this.#extend(readNumber(event.index), readObject(event.delta));
      case 'content_block_stop':
        return this.#end(readNumber(event.index));
      case 'message_delta':
        return this.#note(event);
      case 'message_stop':
        return this.#finish();
      case 'error':
        return this.#fail(event.error ?? event);
      default:
        return [];
    }
  }

  brokenOff(): IncompleteAnswer {
    return new BrokenOff();
  }

  /** The provider's counts so far; undefined before the first. */
  get usage(): Usage | undefined {
    return this.#isStarted ? this.#usage : undefined;
  }

  #start(message: Wire): ModelEvent[] {
    const id = readString(message.id);
    // Some gateways repeat the first event. Another answer within this one is a fault.
    if (this.#isStarted && id !== '' && id === this.#id) return [];
    if (this.#isStarted) return this.#fail(new IncompleteAnswer('The answer started twice.'));
    this.#isStarted = true;
    this.#id = id;
    this.model = readString(message.model) || this.model;
    this.#usage = updateUsage(readObject(message.usage), noUsage);
    return [{ type: 'response_started', id: this.#id, model: this.model }];
  }

  #begin(at: number, given: Wire): ModelEvent[] {
    if (!this.#isStarted || this.#open.has(at) || this.#endedPlaces.has(at)) return this.#outOfOrder();
    const block = this.#nameCall(emptyBlock(given));
    if (!block) {
      this.#foreign.add(at);
      return [];
    }
    if (block.type === 'tool_use' && (block.id === '' || block.name === ''))
      return this.#fail(new IncompleteAnswer('A tool call has no name or no id.'));
    const before = this.#endUnsureCall();
    const open = { index: this.#count++, block, json: '' };
    this.#open.set(at, open);
    this.#foreign.delete(at);
    const started: ModelEvent = { type: 'block_started', index: open.index, block };
    const text = readString(given.text) || readString(given.thinking);
    if (text === '') return [...before, started];
    return [...before, started, ...this.#extend(at, { ...given, type: `${block.type}_delta` })];
  }

  #nameCall(block: AssistantBlock | undefined): AssistantBlock | undefined {
    if (block?.type !== 'tool_use' || block.id === '') return block;
    const id = chooseCallId(block.id, (other) => this.#calls.has(other));
    this.#calls.add(id);
    return { ...block, id };
  }

  #extend(at: number, given: Wire): ModelEvent[] {
    const open = this.#open.get(at);
    if (!open) return this.#foreign.has(at) ? [] : this.#outOfOrder();
    if (isGarbled(given)) return this.#fail(new IncompleteAnswer('A piece of the answer is not text.'));
    const delta = extendBlock(open, given);
    if (delta) return [{ type: 'block_delta', index: open.index, delta }];
    return knownDeltas.has(readString(given.type)) ? this.#outOfOrder() : [];
  }

  #end(at: number): ModelEvent[] {
    const open = this.#open.get(at);
    if (!open) return this.#foreign.has(at) || this.#endedPlaces.has(at) ? [] : this.#outOfOrder();
    this.#open.delete(at);
    this.#endedPlaces.add(at);
    if (open.block.type === 'tool_use') {
      const input = parseToolInput(open.json);
      open.block = input ? { ...open.block, input } : markInvalid(open.block, open.json);
      if (!input || open.json.trim() === '') {
        this.#unsureCall = open;
        return [];
      }
    }
    return this.#keep(open);
  }

  #endUnsureCall(): ModelEvent[] {
    const unsure = this.#unsureCall;
    this.#unsureCall = undefined;
    return unsure ? this.#keep(unsure) : [];
  }

  #keep({ index, block }: OpenBlock): ModelEvent[] {
    this.#blocks[index] = block;
    return [{ type: 'block_ended', index, block }];
  }

  #note(event: Wire): ModelEvent[] {
    const reason = readString(readObject(event.delta).stop_reason);
    if (reason !== '') this.#stop = stopReasons[reason] ?? 'unknown';
    this.#usage = updateUsage(readObject(event.usage), this.#usage);
    return [];
  }

  #finish(): ModelEvent[] {
    const stop = this.#stop;
    if (!this.#isStarted || stop === undefined) return this.#fail(this.brokenOff());
    // At its token limit, or when refused, an answer may stop within a call: only the call is dropped.
    const mayStopShort = stop === 'max_tokens' || stop === 'refusal';
    const open = [...this.#open.values()].filter(({ block }) => block.type !== 'tool_use' || !mayStopShort);
    if (open.length > 0) return this.#fail(new IncompleteAnswer('A part of the answer never ended.'));
    const before = mayStopShort ? [] : this.#endUnsureCall();
    this.isEnded = true;
    const content = this.#blocks.filter((block) => block !== undefined);
    const calls = content.some((block) => block.type === 'tool_use');
    const message = {
      role: 'assistant' as const,
      id: this.#id,
      model: this.model,
      content,
      stop_reason: calls && stop === 'end_turn' ? ('tool_use' as const) : stop,
      usage: this.#usage,
    };
    return [...before, { type: 'response_ended', message }];
  }

  #outOfOrder(): ModelEvent[] {
    return this.#fail(new IncompleteAnswer('The events of the answer arrived out of order.'));
  }

  #fail(failure: unknown): ModelEvent[] {
    this.failure = failure;
    return [];
  }
}

const knownDeltas = new Set(['text_delta', 'thinking_delta', 'signature_delta', 'input_json_delta']);

const stopReasons: Record<string, StopReason> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  model_context_window_exceeded: 'max_tokens',
  stop_sequence: 'stop_sequence',
  refusal: 'refusal',
};
