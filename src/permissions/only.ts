import { matchesToolName } from '../places/names.ts';
import { deny } from '../places/reasons.ts';
import type { Call, Role } from '../places/types.ts';
import type { Access, Decision } from '../protocol/permission.ts';
import { formatRule } from '../settings/rules.ts';
import { matchRules } from '../shell/rules/match.ts';

/**
 * Refusals for an agent that has a tool only for certain calls, such as `Bash(git status:*)`. Calls that the rules name are
 * inside, and so are calls that would run without asking if these rules were the only ones: reading, also as part of a
 * command. Being inside does not allow a call.
 */
export function patternRefusal(
  { only, because }: Role,
  call: Call,
  access: Access,
  /** Judges the call under these rules alone. */
  judge: (call: Call) => Decision,
): Decision | undefined {
  if (!only?.tools.some((name) => matchesToolName(name, call.tool))) return undefined;
  if (matchRules(only.rules, call, access).allow) return undefined;
  // A sandbox around it does not make it a different call.
  const { sandbox: _, ...workspace } = call.workspace;
  if (judge({ ...call, workspace }).behaviour === 'allow') return undefined;
  const named = only.rules.filter((rule) => matchesToolName(rule.tool, call.tool)).map(formatRule);
  return deny(
    'role',
    `this agent has ${call.tool} only for ${named.join(', ') || 'nothing readable'}${because ? ` ${because}` : ''}`,
  );
}
