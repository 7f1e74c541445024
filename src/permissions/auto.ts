import type { Rule } from '../protocol/permission.ts';
import { isBroadGrant } from '../shell/rules/broad-grant.ts';

/**
 * In `auto` mode a grant that covers whatever the model makes up says nothing of this call: shell-wide rules, those for
 * interpreters and package runners, and those that start agents.
 */
export function isSuspendedInAuto(rule: Rule): boolean {
  if (rule.behaviour !== 'allow') return false;
  if (rule.tool === 'Agent' || rule.tool === 'Monitor') return true;
  return rule.tool === 'Bash' && isBroadGrant(rule);
}
