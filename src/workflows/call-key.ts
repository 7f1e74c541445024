import { hashBytes } from '../lib/hash.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import type { AgentCallOptions } from './run-port.ts';

/**
 * The way in which keys are made, as it is written in every journal. A build that makes them in another way must keep this one
 * for journals that have it, or finished calls would be paid for twice.
 */
export const keyFormat = 1;

/** The key of a call of an agent: a hash of what the program wrote. How it is shown is not part of it. */
export function makeCallKey(prompt: string, options: AgentCallOptions): Result<string> {
  const { label: _, phase: __, ...written } = options;
  return makeKey('agent', { prompt, ...written });
}

/** The key of any other work that is done once. */
export function makeKey(kind: string, input: unknown): Result<string> {
  const text = renderCanonical(input);
  return text.ok ? ok(hashBytes(`${keyFormat} ${kind} ${text.value}`)) : text;
}

/** How a call is named for people and in commands. */
export function formatCallId(key: string, number: number): string {
  return `${key.slice(0, 10)}.${number}`;
}

const maxDepth = 200;
const maxCharacters = 8_000_000;

/** JSON with the fields of every object in one order; absent fields and undefined ones are the same. */
export function renderCanonical(value: unknown): Result<string> {
  try {
    const text = render(value, []);
    if (text.length > maxCharacters) return failure('It is larger than 8 MB.');
    return ok(text);
  } catch (error) {
    if (error instanceof NotData) return failure(error.message);
    throw error;
  }
}

class NotData extends Error {}

function render(value: unknown, above: readonly object[]): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new NotData(`${value} cannot be written as JSON.`);
    return JSON.stringify(value);
  }
  if (typeof value !== 'object') throw new NotData(`A ${typeof value} cannot be written as JSON.`);
  if (above.includes(value))
    throw new NotData('It contains itself (a cycle), so it cannot be written as JSON.');
  if (above.length > maxDepth) throw new NotData(`It is nested more than ${maxDepth} deep.`);
  const path = [...above, value];
  if (Array.isArray(value)) return `[${value.map((item) => render(item, path)).join(',')}]`;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${render(field, path)}`);
  return `{${fields.join(',')}}`;
}
