import type { CallWorkspace, Ceiling, Role } from '../places/types.ts';
import type { Access, Decision, PermissionMode, Rule } from '../protocol/index.ts';
import { decide } from './decide.ts';

/**
 * What one agent is judged by. Every agent has its own: its session gives it the ceiling, its
 * definition the role; mode and rules change only by the user's hand.
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
