import { isRecord } from '../lib/fields/field-values.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { boundText } from '../lib/text/text.ts';
import { type Answer, type PermissionMode, permissionModes, type Rule } from '../protocol/index.ts';
import { readWireRules } from '../settings/wire-rules.ts';
import { maxCharacters } from './hook-run.ts';
import type { HookWord } from './word.ts';

/** The decision of a `PermissionRequest` hook, as an answer to the question. */
export function readAnswer(decision: unknown): HookWord {
  if (decision === undefined) return {};
  if (!isRecord(decision)) return { problem: 'decision: expected an object with behavior' };
  if (decision.behavior === 'deny') return { answer: denial(decision) };
  if (decision.behavior !== 'allow') return { problem: 'decision.behavior: expected allow or deny' };
  const { updatedInput } = decision;
  if (updatedInput !== undefined && !isRecord(updatedInput))
    return { problem: 'decision.updatedInput: expected an object' };
  const grants = readGrants(decision.updatedPermissions);
  if (!grants.ok) return { problem: `decision.updatedPermissions${grants.problem}` };
  return {
    answer: {
      behaviour: 'allow',
      input: updatedInput ? { ...updatedInput } : undefined,
      ...grants.value,
    },
  };
}

function denial({ message, interrupt }: Record<string, unknown>): Answer {
  const text = typeof message === 'string' && message.trim() !== '' ? message : 'A hook denied it.';
  return {
    behaviour: 'deny',
    message: boundText(text, maxCharacters),
    interrupt: interrupt === true || undefined,
  };
}

/** Rules and a mode for the rest of the session. Nothing is saved, and a hook cannot switch off all questions. */
function readGrants(updates: unknown): Result<{ rules?: Rule[]; mode?: PermissionMode }, string> {
  if (updates === undefined || updates === null) return ok({});
  if (!Array.isArray(updates)) return fail(': expected a list');
  const rules: Rule[] = [];
  for (const [index, update] of updates.entries()) {
    const read = isRecord(update) && update.type === 'addRules' ? readRules(update) : ok([]);
    if (!read.ok) return fail(`[${index}].${read.problem}`);
    rules.push(...read.value);
  }
  const wanted = updates.findLast((update) => isRecord(update) && update.type === 'setMode')?.mode;
  const mode = permissionModes.find((known) => known === wanted && known !== 'bypassPermissions');
  return ok({ rules: rules.length > 0 ? rules : undefined, mode });
}

function readRules({ rules, behavior }: Record<string, unknown>): Result<Rule[], string> {
  const behaviour = (['allow', 'ask', 'deny'] as const).find((known) => known === behavior);
  if (!behaviour) return fail('behavior: expected allow, deny or ask');
  const source = 'a PermissionRequest hook';
  return readWireRules(rules, { behaviour, layer: 'session', source, base: '/', others: 'unnamed' });
}
