import type { CallWorkspace, Ceiling, Role } from '../places/types.ts';
import type { Access, Decision, PermissionMode, Rule } from '../protocol/index.ts';
import { decide } from './decide.ts';

/**
 * The context one agent is judged by. Every agent has its own: the ceiling comes from its session, the role from its
 * definition; only the user changes mode and rules.
 */
export interface PermissionContext {
  readonly ceiling: Ceiling;
  readonly role: Role;
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
  readonly workspace: CallWorkspace;
}

export function judge(
  context: PermissionContext,
  call: { tool: string; accesses: Access[]; input: Record<string, unknown> },
): Decision {
  const { ceiling, role, mode, rules, workspace } = context;
  return decide(ceiling, role, mode, rules, { ...call, workspace });
}
