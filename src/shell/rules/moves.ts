import { byRule } from '../../places/reasons.ts';
import type { Call, Ceiling } from '../../places/types.ts';
import type { Decision, Rule } from '../../protocol/permission.ts';
import { matchRules } from './match.ts';

/** The decision of `Cd(path)` rules about a directory that a shell moves to; undefined where none applies. */
export function judgeMove(
  rules: readonly Rule[],
  path: string,
  { workspace }: Pick<Call, 'workspace'>,
): Decision | undefined {
  const own = rules.filter((rule) => rule.tool === 'Cd');
  if (own.length === 0) return undefined;
  const { deny, ask, allow } = matchRules(
    own,
    { tool: 'Cd', accesses: [], workspace },
    { kind: 'read', path },
  );
  if (deny) return byRule('deny', deny);
  return ask ? byRule('ask', ask) : allow && byRule('allow', allow);
}

/** Why the agent's directory does not follow a command there: a place that its text did not name was never judged. */
export function moveRefusal(
  { rules, ceiling, workspace }: Pick<Call, 'workspace'> & { rules: readonly Rule[]; ceiling: Ceiling },
  path: string,
): string | undefined {
  const denied = ceiling.denied.map((rule) => ({ ...rule, behaviour: 'deny' as const }));
  const decision = judgeMove([...denied, ...rules], path, { workspace });
  return decision && decision.behaviour !== 'allow' ? decision.reason : undefined;
}
