import type { AssistantBlock, BlockDelta, ModelEvent, StopReason, Usage } from '../protocol/index.ts';
import { noUsage } from '../protocol/index.ts';
import { IncompleteAnswer } from './failures.ts';

/** An event of the stream, as far as it was looked at. */
type Wire = Record<string, unknown>;

interface OpenBlock {
  index: number;
  block: AssistantBlock;
  /** The input of a call, as text, until it is whole. */
  json: string;
}

/**
 * Turns the events of a Messages API stream into ours, one answer long. It is over when it `isEnded`, with
 * `response_ended` as its last event, or when there is a `failure`. A call is part of it only with a whole JSON object
 * for its input.
 */
export class AnthropicAnswer {
  readonly #open = new Map<number, OpenBlock>();
  readonly #blocks: (AssistantBlock | undefined)[] = [];
  #id = '';
  #model: string;
  #usage: Usage = noUsage;
  #stop: StopReason | undefined;
  #brokenCall: string | undefined;
  /** A call that came without any input: an empty one, unless the answer turns out to be cut off here. */
  #bareCall: OpenBlock | undefined;
  #count = 0;
  #isStarted = false;
  failure: unknown;
  isEnded = false;

  constructor(model: string) {
    this.#model = model;
  }

  take(event: Wire): ModelEvent[] {
    switch (event.type) {
      case 'message_start':
        return this.#start(objectIn(event.message));
      case 'content_block_start':
        return this.#begin(numberIn(event.index), objectIn(event.content_block));
      case 'content_block_delta':
        return this.#extend(numberIn(event.index), objectIn(event.delta));
      case 'content_block_stop':
        return this.#end(numberIn(event.index));
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
    return new IncompleteAnswer('The answer broke off before its end.');
  }

  #start(message: Wire): ModelEvent[] {
    if (this.#isStarted) return this.#fail(new IncompleteAnswer('The answer began twice.'));
    this.#isStarted = true;
    this.#id = textIn(message.id);
    this.#model = textIn(message.model) || this.#model;
    this.#usage = usageOf(objectIn(message.usage), noUsage);
    return [{ type: 'response_started', id: this.#id, model: this.#model }];
  }

  #begin(at: number, given: Wire): ModelEvent[] {
    const block = emptyBlock(given);
    if (!block) return [];
    const before = this.#endBareCall();
    const open = { index: this.#count++, block, json: '' };
    this.#open.set(at, open);
    const started: ModelEvent = { type: 'block_started', index: open.index, block };
    const text = textIn(given.text) || textIn(given.thinking);
    if (text === '') return [...before, started];
    return [...before, started, ...this.#extend(at, { ...given, type: `${block.type}_delta` })];
  }

  #extend(at: number, given: Wire): ModelEvent[] {
    const open = this.#open.get(at);
    const delta = open && extend(open, given);
    return open && delta ? [{ type: 'block_delta', index: open.index, delta }] : [];
  }

  #end(at: number): ModelEvent[] {
    const open = this.#open.get(at);
    if (!open) return [];
    this.#open.delete(at);
    if (open.block.type === 'tool_use') {
      const input = parseInput(open.json);
      if (!input) {
        this.#brokenCall ??= `The input of the tool call ${open.block.name} is not a JSON object.`;
        return [];
      }
      open.block = { ...open.block, input };
      if (open.json.trim() === '') {
        this.#bareCall = open;
        return [];
      }
    }
    return this.#keep(open);
  }

  #endBareCall(): ModelEvent[] {
    const bare = this.#bareCall;
    this.#bareCall = undefined;
    return bare ? this.#keep(bare) : [];
  }

  #keep({ index, block }: OpenBlock): ModelEvent[] {
    this.#blocks[index] = block;
    return [{ type: 'block_ended', index, block }];
  }

  #note(event: Wire): ModelEvent[] {
    const reason = textIn(objectIn(event.delta).stop_reason);
    if (reason !== '') this.#stop = stopReasons[reason] ?? 'unknown';
    this.#usage = usageOf(objectIn(event.usage), this.#usage);
    return [];
  }

  /** An answer at its token limit may break off within a call: the call is dropped, the answer is not. */
  #finish(): ModelEvent[] {
    const stop = this.#stop;
    if (!this.#isStarted || stop === undefined) return this.#fail(this.brokenOff());
    if (stop !== 'max_tokens') {
      if (this.#brokenCall) return this.#fail(new IncompleteAnswer(this.#brokenCall));
      if (this.#open.size > 0) return this.#fail(new IncompleteAnswer('A part of the answer never ended.'));
    }
    const before = stop === 'max_tokens' ? [] : this.#endBareCall();
    this.isEnded = true;
    const content = this.#blocks.filter((block) => block !== undefined);
    const calls = content.some((block) => block.type === 'tool_use');
    const message = {
      role: 'assistant' as const,
      id: this.#id,
      model: this.#model,
      content,
      stop_reason: calls && stop === 'end_turn' ? ('tool_use' as const) : stop,
      usage: this.#usage,
    };
    return [...before, { type: 'response_ended', message }];
  }

  #fail(failure: unknown): ModelEvent[] {
    this.failure = failure;
    return [];
  }
}

const stopReasons: Record<string, StopReason> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  model_context_window_exceeded: 'max_tokens',
  stop_sequence: 'stop_sequence',
  refusal: 'refusal',
};

/** Undefined for kinds of blocks that we did not ask for. */
function emptyBlock(given: Wire): AssistantBlock | undefined {
  switch (given.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '' };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: textIn(given.data) };
    case 'tool_use':
      return { type: 'tool_use', id: textIn(given.id), name: textIn(given.name), input: {} };
    default:
      return undefined;
  }
}

function extend(open: OpenBlock, given: Wire): BlockDelta | undefined {
  const { block } = open;
  if (given.type === 'text_delta' && block.type === 'text') {
    open.block = { type: 'text', text: block.text + textIn(given.text) };
    return { type: 'text', text: textIn(given.text) };
  }
  if (given.type === 'thinking_delta' && block.type === 'thinking') {
    open.block = { ...block, thinking: block.thinking + textIn(given.thinking) };
    return { type: 'thinking', thinking: textIn(given.thinking) };
  }
  if (given.type === 'signature_delta' && block.type === 'thinking') {
    open.block = { ...block, signature: (block.signature ?? '') + textIn(given.signature) };
    return { type: 'signature', signature: textIn(given.signature) };
  }
  if (given.type === 'input_json_delta' && block.type === 'tool_use') {
    open.json += textIn(given.partial_json);
    return { type: 'tool_input', json: textIn(given.partial_json) };
  }
  return undefined;
}

/** The counts of a stream are running totals: the newest of each counts. */
function usageOf(given: Wire, before: Usage): Usage {
  const newest = (name: keyof Usage) => (typeof given[name] === 'number' ? given[name] : before[name]);
  return {
    input_tokens: newest('input_tokens'),
    output_tokens: newest('output_tokens'),
    cache_read_input_tokens: newest('cache_read_input_tokens'),
    cache_creation_input_tokens: newest('cache_creation_input_tokens'),
  };
}

function parseInput(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json.trim() || '{}');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectIn(value: unknown): Wire {
  return isObject(value) ? value : {};
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberIn(value: unknown): number {
  return typeof value === 'number' ? value : -1;
}
