import { isRecord } from '../lib/fields/field-values.ts';
import { boundText } from '../lib/text/text.ts';
import { type Answer, type PermissionMode, permissionModes, type Rule } from '../protocol/index.ts';
import { formatRule, parseRule } from '../settings/rules.ts';
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
  return {
    answer: {
      behaviour: 'allow',
      input: updatedInput ? { ...updatedInput } : undefined,
      ...readGrants(decision.updatedPermissions),
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
function readGrants(updates: unknown): { rules?: Rule[]; mode?: PermissionMode } {
  if (!Array.isArray(updates)) return {};
  const rules = updates.flatMap((update) =>
    isRecord(update) && update.type === 'addRules' ? readRules(update) : [],
  );
  const wanted = updates.findLast((update) => isRecord(update) && update.type === 'setMode')?.mode;
  const mode = permissionModes.find((known) => known === wanted && known !== 'bypassPermissions');
  return { rules: rules.length > 0 ? rules : undefined, mode };
}

function readRules({ rules, behavior }: Record<string, unknown>): Rule[] {
  const behaviour = (['allow', 'ask', 'deny'] as const).find((known) => known === behavior);
  if (!Array.isArray(rules) || !behaviour) return [];
  return rules.flatMap((rule) => {
    if (!isRecord(rule) || typeof rule.toolName !== 'string') return [];
    const specifier = typeof rule.ruleContent === 'string' ? rule.ruleContent : undefined;
    const text = formatRule({ tool: rule.toolName, specifier });
    const parsed = parseRule(text, behaviour, 'session', 'a PermissionRequest hook', '/');
    return parsed.ok ? [parsed.value] : [];
  });
}
