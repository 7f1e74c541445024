import { z } from 'zod';
import type { RunPort } from '../workflows/run-port.ts';
import { type HandoffEnd, handoff, listIssues } from './handoff.ts';
import { handoffRoles, isRoleName, phaseRoles, type RoleName } from './roles.ts';
import { expectedOutputs, type HandoffPhase, type HandoffRequestInput, handoffPhases } from './schema.ts';
import type { HandoffSetup } from './setup.ts';

const scriptOptions = z.strictObject({
  /** A role or a template; that of the phase unless given. */
  template: z.string().max(200).optional(),
  model: z.string().max(200).optional(),
  label: z.string().max(200).optional(),
  timeoutMs: z.int().min(1).max(86_400_000).optional(),
});

/** `handoff(request, options)` of a workflow script: everything from the script is data, and so is what it gets. */
export async function handOffForScript(
  run: RunPort,
  setup: HandoffSetup,
  request: unknown,
  options: unknown,
): Promise<ScriptHandoff> {
  const read = scriptOptions.safeParse(options ?? {});
  if (!read.success) return { kind: 'refused', errors: listIssues(read.error) };
  const { template, ...choices } = read.data;
  const role = pickRole(setup, template, request);
  if (role === undefined) return { kind: 'refused', errors: [`phase: expected ${handoffPhases.join(', ')}`] };
  const { phase } = handoffRoles[role];
  const filled = { phase, expected_output: expectedOutputs[phase], ...(request as object) };
  const end = await handoff(run, filled as HandoffRequestInput, { setup, role, template, ...choices });
  return simplifyEnd(end);
}

/** The response, or why there is none. */
export type ScriptHandoff =
  | { kind: 'answered'; response: unknown }
  | { kind: Exclude<HandoffEnd<unknown>['kind'], 'answered'>; errors: string[] };

function simplifyEnd(end: HandoffEnd<unknown>): ScriptHandoff {
  switch (end.kind) {
    case 'answered':
      return { kind: end.kind, response: end.response };
    case 'blocked':
    case 'refused':
      return { kind: end.kind, errors: end.errors };
    case 'timed_out':
      return { kind: end.kind, errors: ['timed out'] };
    case 'ended':
      return { kind: end.kind, errors: [end.reason] };
  }
}

function pickRole(
  { library }: HandoffSetup,
  template: string | undefined,
  request: unknown,
): RoleName | undefined {
  if (template !== undefined && isRoleName(template)) return template;
  const named = template === undefined ? undefined : library.templates.get(template)?.phase;
  const given = (request as { phase?: unknown } | null | undefined)?.phase;
  const phase: HandoffPhase | undefined = named ?? handoffPhases.find((one) => one === given);
  return phase === undefined ? undefined : phaseRoles[phase];
}
