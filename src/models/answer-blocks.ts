import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { AssistantBlock, BlockDelta, ModelEvent, StopReason } from '../protocol/index.ts';
import { chooseCallId, markInvalid, parseToolInput } from './tool-input.ts';

type Part = LanguageModelV4StreamPart;

interface OpenBlock {
  index: number;
  block: AssistantBlock;
  /** Whether any of a tool's input has streamed. */
  hasInput: boolean;
  /** A call without an input, or with an invalid one: as it is, unless the answer turns out to be cut off here. */
  isUnsure: boolean;
}

/**
 * Gathers the blocks of one answer. Blocks are numbered in the order they begin. A call whose input is not a whole JSON
 * object is marked as invalid; one that never ends is not part of an answer.
 */
export class AnswerBlocks {
  readonly #ended: (AssistantBlock | undefined)[] = [];
  readonly #open = new Map<string, OpenBlock>();
  #count = 0;
  /** A failure of the whole answer. */
  #wrong: string | undefined;
  readonly #calls = new Set<string>();

  take(part: Part): ModelEvent[] {
    switch (part.type) {
      case 'text-start':
        return this.#start(`text ${part.id}`, { type: 'text', text: '' });
      case 'text-delta':
        return this.#text(`text ${part.id}`, part.delta);
      case 'text-end':
        return this.#end(`text ${part.id}`);
      case 'reasoning-start':
        return this.#start(`thinking ${part.id}`, thinkingBlock(part.providerMetadata));
      case 'reasoning-delta':
        return this.#thinking(`thinking ${part.id}`, part.delta, part.providerMetadata);
      case 'reasoning-end':
        return this.#end(`thinking ${part.id}`);
      case 'tool-input-start':
        return part.providerExecuted ? [] : this.#startCall(part.id, part.toolName);
      case 'tool-input-delta':
        return this.#input(`call ${part.id}`, part.delta);
      case 'tool-call':
        // The provider ran it itself, and its answer has the outcome: there is nothing to run here.
        return part.providerExecuted ? [] : this.#call(part);
      default:
        return [];
    }
  }

  /** The content of the whole answer, or what is wrong with it. */
  finish(stop: StopReason): { events: ModelEvent[]; content: AssistantBlock[] | string } {
    const events: ModelEvent[] = [];
    // At its token limit, or where it is refused, an answer may stop within a call: only the call is dropped.
    const mayStopShort = stop === 'max_tokens' || stop === 'refusal';
    for (const [key, open] of [...this.#open]) {
      const drops = mayStopShort && open.block.type === 'tool_use';
      if (open.isUnsure && !drops) events.push(...this.#end(key));
      else if (!drops) this.#wrong ??= 'A part of the answer never ended.';
    }
    return { events, content: this.#wrong ?? this.#ended.filter((block) => block !== undefined) };
  }

  #start(key: string, block: AssistantBlock): ModelEvent[] {
    // Some servers leave a text open while calls begin; we treat it as ended.
    const before = [...this.#open].filter(([, { block }]) => block.type !== 'tool_use');
    const ends = before.flatMap(([open]) => this.#end(open));
    const index = this.#count++;
    this.#open.set(key, { index, block, hasInput: false, isUnsure: false });
    return [...ends, { type: 'block_started', index, block }];
  }

  #startCall(id: string, name: string): ModelEvent[] {
    const key = `call ${id}`;
    const before = this.#open.get(key);
    // Pieces of two open calls with one id could not be told apart.
    if (id === '' || name === '' || (before && !before.isUnsure)) return this.#refuseCall();
    const ended = this.#end(key);
    const own = chooseCallId(id, (other) => this.#calls.has(other));
    this.#calls.add(own);
    return [...ended, ...this.#start(key, { type: 'tool_use', id: own, name, input: {} })];
  }

  #refuseCall(): ModelEvent[] {
    this.#wrong ??= 'A tool call was repeated, or has no name or no id.';
    return [];
  }

  #text(key: string, text: string): ModelEvent[] {
    const started = this.#open.has(key) ? [] : this.#start(key, { type: 'text', text: '' });
    const open = this.#open.get(key);
    if (open?.block.type !== 'text') return started;
    open.block = { type: 'text', text: open.block.text + text };
    return [...started, delta(open, { type: 'text', text })];
  }

  #thinking(key: string, thinking: string, metadata: SharedV4ProviderMetadata | undefined): ModelEvent[] {
    const events = this.#open.has(key) ? [] : this.#start(key, { type: 'thinking', thinking: '' });
    const open = this.#open.get(key);
    if (open?.block.type !== 'thinking') return events;
    const signature = metadata?.anthropic?.signature;
    if (thinking) {
      open.block = { ...open.block, thinking: open.block.thinking + thinking };
      events.push(delta(open, { type: 'thinking', thinking }));
    }
    if (typeof signature === 'string') {
      open.block = { ...open.block, signature: (open.block.signature ?? '') + signature };
      events.push(delta(open, { type: 'signature', signature }));
    }
    return events;
  }

  #input(key: string, json: string): ModelEvent[] {
    const open = this.#open.get(key);
    if (!open) return [];
    open.hasInput ||= json.trim() !== '';
    return [delta(open, { type: 'tool_input', json })];
  }

  #call(part: Extract<Part, { type: 'tool-call' }>): ModelEvent[] {
    const key = `call ${part.toolCallId}`;
    const { toolCallId: id, toolName: name } = part;
    const input = parseToolInput(part.input);
    const known = this.#open.get(key);
    const started = known && !known.isUnsure ? [] : this.#startCall(id, name);
    const open = this.#open.get(key);
    if (open?.block.type !== 'tool_use') return started;
    if (name === '') return this.#refuseCall();
    open.block = input ? { ...open.block, name, input } : markInvalid({ ...open.block, name }, part.input);
    open.isUnsure = !input || (!open.hasInput && Object.keys(input).length === 0);
    return open.isUnsure ? started : [...started, ...this.#end(key)];
  }

  #end(key: string): ModelEvent[] {
    const open = this.#open.get(key);
    if (!open) return [];
    this.#open.delete(key);
    this.#ended[open.index] = open.block;
    return [{ type: 'block_ended', index: open.index, block: open.block }];
  }
}

function delta({ index }: OpenBlock, delta: BlockDelta): ModelEvent {
  return { type: 'block_delta', index, delta };
}

function thinkingBlock(metadata: SharedV4ProviderMetadata | undefined): AssistantBlock {
  const data = metadata?.anthropic?.redactedData;
  return typeof data === 'string' ? { type: 'redacted_thinking', data } : { type: 'thinking', thinking: '' };
}
