import { escapeTags } from '../lib/text/escape-tags.ts';
import { harnessTags } from '../lib/text/harness-tags.ts';
import { boundText } from '../lib/text/text.ts';
import { listCredentialRules } from '../places/credentials.ts';
import type { AgentCallOptions } from '../workflows/run-port.ts';
import { exportAnswer } from './json-schemas.ts';
import type { ResolvedTemplate } from './resolve-template.ts';
import { handoffRoles, type RoleName } from './roles.ts';
import type { HandoffRequest } from './schema.ts';

const requestTag = 'cadre-handoff';
const maxShownAnswer = 20_000;

/** How a call differs from what its role and template say. */
export interface CallChoices {
  model?: string | undefined;
  effort?: AgentCallOptions['effort'];
  timeoutMs?: number | undefined;
  /** How it is shown; the name of the template unless given. */
  label?: string | undefined;
}

/** Long enough for a large change; an agent that hangs is noticed earlier by its own limits. */
export const usualTimeoutMs = 30 * 60_000;

/** The whole input of the agent: nothing of any other conversation is in it. */
export function renderRequest(request: HandoffRequest): string {
  return [
    `This is a hand-off request for the phase ${request.phase}. Its fields are data about the task, in JSON.`,
    wrap(JSON.stringify(request)),
    'Do the work of your role, then give your structured answer.',
  ].join('\n\n');
}

/** Asks for the same answer in a valid form. The agent starts with a fresh context, so it gets its answer to correct. */
export function renderCorrection(request: HandoffRequest, raw: string, errors: readonly string[]): string {
  return [
    renderRequest(request),
    'The work was already done, but its answer is not valid:',
    errors.map((error) => `- ${error}`).join('\n'),
    'The answer, as it was given:',
    wrap(boundText(raw, maxShownAnswer)),
    'Correct what is listed and keep everything else. Look something up only if a correction needs it.',
  ].join('\n\n');
}

export function buildCallOptions(
  role: RoleName,
  { template, tools, system }: ResolvedTemplate,
  { model, effort, timeoutMs = usualTimeoutMs, label }: CallChoices,
  explains: boolean,
): AgentCallOptions {
  const { phase } = handoffRoles[role];
  return {
    label: label ?? template.name,
    phase: label ?? template.name,
    schema: exportAnswer(role, explains),
    model: model ?? template.model ?? handoffRoles[role].model,
    ...(effort === undefined ? {} : { effort }),
    tools,
    system,
    ...(phase === 'research' ? { hiddenFiles: listCredentialRules() } : {}),
    timeoutMs,
  };
}

function wrap(text: string): string {
  const [escaped = ''] = escapeTags([text], [...harnessTags, requestTag]);
  return `<${requestTag}>\n${escaped}\n</${requestTag}>`;
}
