import type { Decision, Rule, RuleBehaviour } from '../protocol/permission.ts';

type Ground = Decision['by'];

export const allow = (by: Ground, reason: string): Decision => ({ behaviour: 'allow', by, reason });
export const ask = (by: Ground, reason: string): Decision => ({ behaviour: 'ask', by, reason });
export const deny = (by: Ground, reason: string): Decision => ({ behaviour: 'deny', by, reason });

const verbs = { allow: 'allows it', ask: 'asks about it', deny: 'denies it' } as const;

export function byRule(behaviour: RuleBehaviour, rule: Rule): Decision {
  return { behaviour, by: 'rule', reason: `${nameRule(rule)} ${verbs[behaviour]}`, rule };
}

/** A rule in a form that the user can find: its text, its layer, its file or flag; or the setting that is one. */
export function nameRule(rule: Rule): string {
  if (rule.setting !== undefined) return `${rule.setting} in ${rule.source}`;
  const text = rule.specifier === undefined ? rule.tool : `${rule.tool}(${rule.specifier})`;
  return `the ${rule.behaviour} rule ${text} (${rule.layer}: ${rule.source})`;
}

/**
 * The strictest of several decisions wins. A question that only the user may answer ranks above one that others may answer.
 */
export function strictness({ behaviour, by }: Decision): number {
  if (behaviour === 'deny') return 3;
  if (behaviour === 'allow') return 0;
  return by === 'rule' || by === 'protected-path' || by === 'ceiling' || by === 'role' ? 2 : 1;
}
