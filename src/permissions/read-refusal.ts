import { isWholeTool } from '../places/names.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { Rule } from '../protocol/permission.ts';
import { fullRole, openCeiling } from './ceiling.ts';
import { decide } from './decide.ts';

export interface ReadRefusal {
  readonly reason: string;
  /** The rule refuses the tool as a whole, and says nothing about this file. */
  readonly isWhole: boolean;
}

/**
 * Why Cadre does not read a file for a model that has not asked for it by a call of its own: memory and its imports, notes,
 * what a worktree is filled with. Deny rules hold for these as for calls, and nobody would be asked.
 */
export function openReadRefusal(
  rules: readonly Rule[],
  workspace: CallWorkspace,
): (path: string) => ReadRefusal | undefined {
  const denying = rules.filter(({ behaviour }) => behaviour === 'deny');
  return (path) => {
    const call = { tool: 'Read', accesses: [{ kind: 'read', path }] as const, workspace };
    const { behaviour, reason, rule } = decide(openCeiling, fullRole, 'bypassPermissions', denying, call);
    if (behaviour === 'allow') return undefined;
    return { reason, isWhole: rule !== undefined && isWholeTool(rule) };
  };
}

/** Why a deny rule, or what no tool may write, keeps an agent's change from a place. */
export function openWriteRefusal(
  rules: readonly Rule[],
  workspace: CallWorkspace,
): (path: string) => string | undefined {
  const denying = rules.filter(({ behaviour }) => behaviour === 'deny');
  return (path) => {
    const call = { tool: 'Edit', accesses: [{ kind: 'write', path }] as const, workspace };
    const { behaviour, reason } = decide(openCeiling, fullRole, 'bypassPermissions', denying, call);
    return behaviour === 'deny' ? reason : undefined;
  };
}
