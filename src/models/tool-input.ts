import { isRecord } from '../lib/fields/field-values.ts';
import { parseJson } from '../lib/fields/parse-json.ts';
import { hashBytes } from '../lib/hash.ts';
import type { ToolUseBlock } from '../protocol/index.ts';

/** Deeper inputs could be parsed, but not serialised again: `JSON.stringify` recurses. No tool needs them. */
const maxDepth = 200;

/** The input of a call that has streamed in: a whole JSON object, or undefined. Nothing at all is an empty object. */
export function parseToolInput(json: string): Record<string, unknown> | undefined {
  const value = parseJson(json.trim() || '{}');
  return isRecord(value) && !isTooDeep(value) ? value : undefined;
}

const maxShown = 2_000;

/** A call whose input is not a JSON object: the model is told so, and nothing is run. */
export function markInvalid(call: ToolUseBlock, json: string): ToolUseBlock {
  return { ...call, input: {}, invalidInput: json.slice(0, maxShown) };
}

/** Of several calls with one id a result would belong to all: each call after the first gets its own. */
export function chooseCallId(id: string, isTaken: (id: string) => boolean): string {
  let chosen = id;
  for (let number = 2; isTaken(chosen); number++) chosen = `${id}_${number}`;
  return chosen;
}

const maxPlain = 64;

/**
 * An id or a name of a call in letters, digits, `-` and `_`, which every provider takes: what another one made
 * (`functions.Read:0`) may be refused. Equal ones stay equal, and different ones different.
 */
export function toPlainWord(text: string): string {
  if (/^[\w-]{1,64}$/.test(text)) return text;
  const mark = `_${hashBytes(text).slice(0, 12)}`;
  return text.replace(/[^\w-]/g, '_').slice(0, maxPlain - mark.length) + mark;
}

/** Level by level, without recursion. */
function isTooDeep(value: object): boolean {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((parent) => Object.values(parent).filter(isNested));
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
