import type { Rule } from '../protocol/permission.ts';
import { isBroadGrant } from '../shell/rules/broad-grant.ts';

/**
 * In `auto` mode a grant that covers anything the model makes up says nothing about this call: shell-wide rules, rules for
 * interpreters and package runners, and rules that start agents.
 */
export function isSuspendedInAuto(rule: Rule): boolean {
  if (rule.behaviour !== 'allow') return false;
  if (rule.tool === 'Agent' || rule.tool === 'Monitor') return true;
  return rule.tool === 'Bash' && isBroadGrant(rule);
}
