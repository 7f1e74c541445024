import type { z } from 'zod';
import {
  analysisFindings,
  type HandoffPhase,
  researchFindings,
  validateFindings,
  writeFindings,
} from './schema.ts';

interface RoleFacts {
  phase: HandoffPhase;
  findings: z.ZodType;
  /** An alias, so that the user's settings decide which model it is. */
  model: string;
}

/** The built-in roles. Each has a template of the same name, which a user may replace; its phase and findings stay. */
export const handoffRoles = {
  researcher: { phase: 'research', findings: researchFindings, model: 'sonnet' },
  writer: { phase: 'write', findings: writeFindings, model: 'sonnet' },
  validator: { phase: 'validate', findings: validateFindings, model: 'haiku' },
  'parallel-executor': { phase: 'validate', findings: validateFindings, model: 'haiku' },
  analyzer: { phase: 'research', findings: analysisFindings, model: 'sonnet' },
  'quick-writer': { phase: 'write', findings: writeFindings, model: 'sonnet' },
  architect: { phase: 'research', findings: researchFindings, model: 'sonnet' },
} as const satisfies Record<string, RoleFacts>;

export type RoleName = keyof typeof handoffRoles;
export type RoleFindings<Role extends RoleName> = z.output<(typeof handoffRoles)[Role]['findings']>;

export function isRoleName(name: string): name is RoleName {
  return Object.hasOwn(handoffRoles, name);
}

/** The role whose findings a template of a user's own has: that of its phase. */
export const phaseRoles = {
  research: 'researcher',
  write: 'writer',
  validate: 'validator',
} as const satisfies Record<HandoffPhase, RoleName>;
