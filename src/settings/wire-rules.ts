import { isRecord } from '../lib/fields/field-values.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import type { Rule } from '../protocol/permission.ts';
import { parseKnownRule, type RulePlace } from './known-tools.ts';
import { formatRule, parseRule } from './rules.ts';

/**
 * Rules as hosts and hooks write them: `{toolName, ruleContent}`. A restriction must name a tool that exists; a grant for any
 * other grants nothing. The problem begins with the field.
 */
export function readWireRules(given: unknown, place: RulePlace): Result<Rule[], string> {
  if (!Array.isArray(given)) return fail('rules: expected a list');
  const rules: Rule[] = [];
  for (const [index, one] of given.entries()) {
    const { toolName: tool, ruleContent } = isRecord(one) ? one : {};
    if (typeof tool !== 'string') return fail(`rules[${index}].toolName: expected a string`);
    const specifier = ruleContent ?? '';
    // Left out, it would be a rule about every call of the tool.
    if (typeof specifier !== 'string') return fail(`rules[${index}].ruleContent: expected a string`);
    const text = formatRule({ tool, specifier: specifier === '' ? undefined : specifier });
    const { behaviour, layer, source, base } = place;
    const rule =
      behaviour === 'allow' ? parseRule(text, behaviour, layer, source, base) : parseKnownRule(text, place);
    if (!rule.ok)
      return fail(`rules[${index}]: ${[rule.problem.message, rule.problem.hint ?? ''].join(' ').trim()}`);
    rules.push(rule.value);
  }
  return ok(rules);
}
