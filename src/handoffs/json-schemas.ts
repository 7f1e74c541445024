import { z } from 'zod';
import { handoffRoles, isRoleName, phaseRoles, type RoleName } from './roles.ts';
import {
  buildAnswerSchema,
  buildResponseSchema,
  explainedFindings,
  type HandoffPhase,
  handoffPhases,
  handoffVersion,
  requestSchema,
} from './schema.ts';

type Exported = Record<string, unknown>;

/** `request`, or the response of a phase or role, as JSON Schema. Undefined for any other word. */
export function exportSchema(name: string): Exported | undefined {
  if (name === 'request') return exportAs(requestSchema, 'request');
  const role = isPhase(name) ? phaseRoles[name] : isRoleName(name) ? name : undefined;
  if (role === undefined) return undefined;
  const { phase, findings } = handoffRoles[role];
  return exportAs(buildResponseSchema(phase, findings), `response/${name}`);
}

export const schemaNames: readonly string[] = ['request', ...handoffPhases, 'analyzer'];

/** What an agent answers with. Where the harness runs the checks, it only explains them. */
export function exportAnswer(role: RoleName, explains: boolean): Exported {
  const { $schema: _, ...schema } = toJson(pickAnswerSchema(role, explains));
  return schema;
}

export function pickAnswerSchema(role: RoleName, explains: boolean) {
  const { phase, findings } = handoffRoles[role];
  return buildAnswerSchema(phase, explains ? explainedFindings : (findings as z.ZodType));
}

function exportAs(schema: z.ZodType, name: string): Exported {
  return { $id: `urn:cadre:handoff:${handoffVersion}:${name}`, ...toJson(schema) };
}

/** As given, before defaults are filled in. */
function toJson(schema: z.ZodType): Exported {
  return z.toJSONSchema(schema, { io: 'input' }) as Exported;
}

function isPhase(name: string): name is HandoffPhase {
  return handoffPhases.some((phase) => phase === name);
}
