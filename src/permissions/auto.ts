import type { Access, Decision, Rule } from '../protocol/permission.ts';
import { isBroadGrant } from './shell/rules.ts';
import { readScript } from './shell/script.ts';

/**
 * In `auto` mode a grant that covers whatever the model makes up says nothing of this call: shell-wide rules, those for
 * interpreters and package runners, and those that start agents.
 */
export function isSuspendedInAuto(rule: Rule): boolean {
  if (rule.behaviour !== 'allow') return false;
  if (rule.tool === 'Agent' || rule.tool === 'Monitor') return true;
  return rule.tool === 'Bash' && isBroadGrant(rule);
}

/**
 * Whether a model may answer this question in a person's place. Not where the user's own rule wants it asked, where the
 * path is a protected one, where the session or the role speaks, where it is a question to the user, or where some of
 * the text could not even be read.
 */
export function isJudgeable(decision: Decision, accesses: readonly Access[], userHome: string): boolean {
  if (decision.behaviour !== 'ask') return false;
  if (decision.by !== 'default' && decision.by !== 'mode' && decision.by !== 'workspace') return false;
  return accesses.every((access) => {
    if (access.kind === 'question') return false;
    return access.kind !== 'shell' || !readScript(access, userHome).parsed.isUnread;
  });
}
