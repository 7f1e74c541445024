import { matchesToolName } from '../places/names.ts';
import { deny } from '../places/reasons.ts';
import type { Call, Role } from '../places/types.ts';
import type { Access, Decision } from '../protocol/permission.ts';
import { formatRule } from '../settings/rules.ts';
import { matchRules } from '../shell/rules/match.ts';

/**
 * What an agent may not do because it has a tool for certain calls alone, as `Bash(git status:*)`. Inside is what the
 * rules name, and what would run unasked if they were all that is allowed: looking, also as a part of a command. That it
 * is inside allows nothing.
 */
export function patternRefusal(
  { only, because }: Role,
  call: Call,
  access: Access,
  /** The call under these rules alone. */
  judge: (call: Call) => Decision,
): Decision | undefined {
  if (!only?.tools.some((name) => matchesToolName(name, call.tool))) return undefined;
  if (matchRules(only.rules, call, access).allow) return undefined;
  // That a sandbox would hold it makes no other call of it.
  const { sandbox: _, ...workspace } = call.workspace;
  if (judge({ ...call, workspace }).behaviour === 'allow') return undefined;
  const named = only.rules.filter((rule) => matchesToolName(rule.tool, call.tool)).map(formatRule);
  return deny(
    'role',
    `this agent has ${call.tool} only for ${named.join(', ') || 'nothing that can be read'}${because ? ` ${because}` : ''}`,
  );
}
