import { resolvePath } from '../places/paths.ts';
import type { Call, Ceiling } from '../places/types.ts';
import type { Access, Decision, Rule } from '../protocol/permission.ts';
import { findRuleOfObject } from '../shell/git/stores.ts';
import { mayMeetRule } from '../shell/judge/shell-case.ts';

/** A file in which git keeps the content of others, one of which a rule may refuse. Names alone show nothing of it. */
export function judgeStored(
  ceiling: Ceiling,
  rules: readonly Rule[],
  { tool, workspace }: Call,
  access: Access,
): Decision | undefined {
  if (access.kind !== 'read' || tool === 'Glob') return undefined;
  const denied = ceiling.denied.map((rule) => ({ ...rule, behaviour: 'deny' as const }));
  const rule = findRuleOfObject(resolvePath(access.path, workspace), [...denied, ...rules], workspace);
  return rule && mayMeetRule(rule);
}
