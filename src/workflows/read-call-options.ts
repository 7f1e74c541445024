import { isRecord } from '../lib/fields/field-values.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { efforts } from '../protocol/effort.ts';
import { findSchemaFault } from '../tools/structured-output/synthetic-output-schema.ts';
import type { AgentCallOptions } from './run-port.ts';

const maxTimeoutMs = 24 * 60 * 60 * 1000;

/** What a script wrote as the options of `agent()`, checked field by field. Unknown fields are named, not heeded. */
export function readCallOptions(given: unknown): Result<{ options: AgentCallOptions; ignored: string[] }> {
  if (given === undefined || given === null) return ok({ options: {}, ignored: [] });
  if (!isRecord(given)) return usage('expected an object.');
  const options: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const check = checks.get(name);
    if (!check) ignored.push(name.slice(0, 60));
    else if (value !== undefined && value !== null) {
      const fault = check(value);
      if (fault !== undefined) return usage(`${name}: ${fault}.`);
      options[name] = value;
    }
  }
  return ok({ options: options as AgentCallOptions, ignored });
}

type CheckField = (value: unknown) => string | undefined;

const text: CheckField = (value) => (typeof value === 'string' && value !== '' ? undefined : 'expected text');
const texts: CheckField = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? undefined
    : 'expected a list of text';
const checkChoice =
  (words: readonly string[]): CheckField =>
  (value) =>
    words.includes(value as string) ? undefined : `expected ${words.join(', ')}`;
const milliseconds: CheckField = (value) =>
  typeof value === 'number' && value > 0 && value <= maxTimeoutMs
    ? undefined
    : 'expected milliseconds, at most a day';

const checks: ReadonlyMap<string, CheckField> = new Map<string, CheckField>([
  ...['label', 'phase', 'agentType', 'model', 'system'].map((name): [string, CheckField] => [name, text]),
  ['schema', findSchemaFault],
  ['effort', checkChoice(efforts)],
  ['isolation', checkChoice(['worktree'])],
  ['tools', texts],
  ['hiddenFiles', texts],
  ['timeoutMs', milliseconds],
]);
