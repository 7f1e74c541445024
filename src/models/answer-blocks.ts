import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { AssistantBlock, BlockDelta, ModelEvent, StopReason } from '../protocol/index.ts';

type Part = LanguageModelV4StreamPart;

interface OpenBlock {
  index: number;
  block: AssistantBlock;
  /** Whether anything of a tool's input has streamed. */
  hasInput: boolean;
  /** A call without any input: an empty one, unless the answer turns out to be cut off here. */
  isBare: boolean;
}

/**
 * Gathers the blocks of one answer. Blocks are numbered in the order they begin. A call ends only with a
 * whole JSON object for its input; one that does not is never part of an answer.
 */
export class AnswerBlocks {
  readonly #ended: (AssistantBlock | undefined)[] = [];
  readonly #open = new Map<string, OpenBlock>();
  #count = 0;
  #brokenCall: string | undefined;

  *take(part: Part): Generator<ModelEvent> {
    switch (part.type) {
      case 'text-start':
        return yield* this.#start(`text ${part.id}`, { type: 'text', text: '' });
      case 'text-delta':
        return yield* this.#text(`text ${part.id}`, part.delta);
      case 'text-end':
        return yield* this.#end(`text ${part.id}`);
      case 'reasoning-start':
        return yield* this.#start(`thinking ${part.id}`, thinkingBlock(part.providerMetadata));
      case 'reasoning-delta':
        return yield* this.#thinking(`thinking ${part.id}`, part.delta, part.providerMetadata);
      case 'reasoning-end':
        return yield* this.#end(`thinking ${part.id}`);
      case 'tool-input-start':
        return yield* this.#start(`call ${part.id}`, {
          type: 'tool_use',
          id: part.id,
          name: part.toolName,
          input: {},
        });
      case 'tool-input-delta':
        return yield* this.#input(`call ${part.id}`, part.delta);
      case 'tool-call':
        return yield* this.#call(part);
    }
  }

  /** Returns the content of the whole answer, or what is wrong with it. */
  *finish(stop: StopReason): Generator<ModelEvent, AssistantBlock[] | string> {
    // An answer at its token limit may break off within a call. The call is dropped, the answer is not.
    if (stop !== 'max_tokens') {
      for (const [key, open] of [...this.#open]) if (open.isBare) yield* this.#end(key);
      if (this.#brokenCall) return this.#brokenCall;
      if (this.#open.size > 0) return 'A part of the answer never ended.';
    }
    return this.#ended.filter((block) => block !== undefined);
  }

  *#start(key: string, block: AssistantBlock): Generator<ModelEvent> {
    // Some servers leave a text open while calls begin; for us it is over.
    for (const [open, { block }] of [...this.#open]) if (block.type !== 'tool_use') yield* this.#end(open);
    const index = this.#count++;
    this.#open.set(key, { index, block, hasInput: false, isBare: false });
    yield { type: 'block_started', index, block };
  }

  *#text(key: string, text: string): Generator<ModelEvent> {
    if (!this.#open.has(key)) yield* this.#start(key, { type: 'text', text: '' });
    const open = this.#open.get(key);
    if (open?.block.type !== 'text') return;
    open.block = { type: 'text', text: open.block.text + text };
    yield delta(open, { type: 'text', text });
  }

  *#thinking(
    key: string,
    thinking: string,
    metadata: SharedV4ProviderMetadata | undefined,
  ): Generator<ModelEvent> {
    if (!this.#open.has(key)) yield* this.#start(key, { type: 'thinking', thinking: '' });
    const open = this.#open.get(key);
    if (open?.block.type !== 'thinking') return;
    const signature = metadata?.anthropic?.signature;
    if (thinking) {
      open.block = { ...open.block, thinking: open.block.thinking + thinking };
      yield delta(open, { type: 'thinking', thinking });
    }
    if (typeof signature === 'string') {
      open.block = { ...open.block, signature: (open.block.signature ?? '') + signature };
      yield delta(open, { type: 'signature', signature });
    }
  }

  *#input(key: string, json: string): Generator<ModelEvent> {
    const open = this.#open.get(key);
    if (!open) return;
    open.hasInput ||= json.trim() !== '';
    yield delta(open, { type: 'tool_input', json });
  }

  *#call(part: Extract<Part, { type: 'tool-call' }>): Generator<ModelEvent> {
    const key = `call ${part.toolCallId}`;
    const { toolCallId: id, toolName: name } = part;
    const input = parseInput(part.input.trim() || '{}');
    if (!input) {
      this.#brokenCall ??= `The input of the tool call ${name} is not a JSON object.`;
      return;
    }
    if (!this.#open.has(key)) yield* this.#start(key, { type: 'tool_use', id, name, input: {} });
    const open = this.#open.get(key);
    if (!open) return;
    open.block = { type: 'tool_use', id, name, input };
    open.isBare = !open.hasInput && Object.keys(input).length === 0;
    if (!open.isBare) yield* this.#end(key);
  }

  *#end(key: string): Generator<ModelEvent> {
    const open = this.#open.get(key);
    if (!open) return;
    this.#open.delete(key);
    this.#ended[open.index] = open.block;
    yield { type: 'block_ended', index: open.index, block: open.block };
  }
}

function delta({ index }: OpenBlock, delta: BlockDelta): ModelEvent {
  return { type: 'block_delta', index, delta };
}

function thinkingBlock(metadata: SharedV4ProviderMetadata | undefined): AssistantBlock {
  const data = metadata?.anthropic?.redactedData;
  return typeof data === 'string' ? { type: 'redacted_thinking', data } : { type: 'thinking', thinking: '' };
}

function parseInput(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
