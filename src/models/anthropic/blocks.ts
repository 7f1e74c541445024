import { isRecord } from '../../lib/fields/field-values.ts';
import type { AssistantBlock, BlockDelta, Usage } from '../../protocol/index.ts';

/** An event of the stream, as far as we read it. */
export type Wire = Record<string, unknown>;

export interface OpenBlock {
  index: number;
  block: AssistantBlock;
  /** The input of a call, as text, until it is complete. */
  json: string;
}

/** Undefined for kinds of blocks that we did not ask for. */
export function emptyBlock(given: Wire): AssistantBlock | undefined {
  switch (given.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '' };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: readString(given.data) };
    case 'tool_use':
      return { type: 'tool_use', id: readString(given.id), name: readString(given.name), input: {} };
    default:
      return undefined;
  }
}

/** Adds a delta to the block; undefined if such a block cannot have it. */
export function extendBlock(open: OpenBlock, given: Wire): BlockDelta | undefined {
  const { block } = open;
  if (given.type === 'text_delta' && block.type === 'text') {
    open.block = { type: 'text', text: block.text + readString(given.text) };
    return { type: 'text', text: readString(given.text) };
  }
  if (given.type === 'thinking_delta' && block.type === 'thinking') {
    open.block = { ...block, thinking: block.thinking + readString(given.thinking) };
    return { type: 'thinking', thinking: readString(given.thinking) };
  }
  if (given.type === 'signature_delta' && block.type === 'thinking') {
    open.block = { ...block, signature: (block.signature ?? '') + readString(given.signature) };
    return { type: 'signature', signature: readString(given.signature) };
  }
  if (given.type === 'input_json_delta' && block.type === 'tool_use') {
    open.json += readString(given.partial_json);
    return { type: 'tool_input', json: readString(given.partial_json) };
  }
  return undefined;
}

/** A delta without a type, or whose content has another type than text. Missing content is an empty piece. */
export function isGarbled(given: Wire): boolean {
  if (typeof given.type !== 'string') return true;
  const content = given[contentFields[given.type] ?? ''] ?? '';
  return typeof content !== 'string';
}

const contentFields: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
  input_json_delta: 'partial_json',
};

/** The counts of a stream are running totals: the newest of each is used. Values that are not counts are ignored. */
export function updateUsage(given: Wire, before: Usage): Usage {
  const newest = (name: keyof Usage) => (isCount(given[name]) ? given[name] : before[name]);
  return {
    input_tokens: newest('input_tokens'),
    output_tokens: newest('output_tokens'),
    cache_read_input_tokens: newest('cache_read_input_tokens'),
    cache_creation_input_tokens: newest('cache_creation_input_tokens'),
  };
}

export function readObject(value: unknown): Wire {
  return isRecord(value) ? value : {};
}

export function readString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function readNumber(value: unknown): number {
  return typeof value === 'number' ? value : -1;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
