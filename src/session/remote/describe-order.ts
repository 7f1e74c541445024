import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { GivenAgent, GivenAgents } from '../../agents/definitions/given-agents.ts';
import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { failure, formatError, ok, type Result, usage } from '../../lib/result.ts';
import type { PermissionMode } from '../../protocol/index.ts';
import type { JobOrder } from '../../remote/job.ts';
import { isWithin } from '../../workspace/paths.ts';
import type { SessionOptions } from '../options.ts';
import type { JobPlace } from './job-place.ts';
import { renderOrderRules } from './job-rules.ts';

/** From the least that is done without asking to the most. */
const modeOrder: readonly PermissionMode[] = [
  'plan',
  'dontAsk',
  'default',
  'acceptEdits',
  'auto',
  'bypassPermissions',
];

export function limitMode(wanted: PermissionMode, highest: PermissionMode): PermissionMode {
  return modeOrder.indexOf(wanted) <= modeOrder.indexOf(highest) ? wanted : highest;
}

/** The session of an order under this worker's ceiling, whoever signed it. */
export function describeOrder(
  order: JobOrder,
  { around, highestMode, tools, sandbox }: JobPlace,
  { top, cwd }: { top: string; cwd: string },
): Result<SessionOptions> {
  const { moved } = order;
  const agents = moved ? readMoved(moved.definitions) : readAgents(order.agent);
  if (!agents.ok) return agents;
  // A job submits no further jobs: the engine's address stays with the worker.
  const { CADRE_ENGINE: _, ...environment } = around.environment;
  return ok(
    keepDefined({
      cwd,
      environment,
      engine: false as const,
      clock: around.clock,
      ids: around.ids,
      model: order.model,
      agent: moved ? moved.main : order.agent.type,
      systemPrompt: moved?.systemPrompt,
      appendSystemPrompt: moved?.appendSystemPrompt,
      agents: agents.value,
      permissionMode: limitMode(order.permissionMode, highestMode),
      tools: tools && [...tools],
      sandbox,
      maxTurns: order.maxTurns,
      maxTokens: order.maxTokens,
      maxBudgetUsd: order.maxBudgetUsd,
      // The worker's own settings and no others: the repository is not trusted here.
      settingSources: ['user' as const],
      settings: order.rules && renderOrderRules(order.rules, top),
      title: order.description,
    }),
  );
}

/** Fields that say what the agent is. Its mode is the order's, and where it runs is decided. */
const kept: ReadonlySet<string> = new Set([
  ...['description', 'prompt', 'tools', 'disallowedTools', 'maxTurns', 'effort', 'color'],
  ...['omitProjectMemory', 'autoCompactWindow', 'skills'],
]);
/** Fields that bring programs along. */
const refused = ['hooks', 'mcpServers'];

function readAgents({ type, definition }: JobOrder['agent']): Result<GivenAgents | undefined> {
  if (!definition) return ok(undefined);
  const foreign = refused.find((field) => isFilled(definition[field]));
  if (foreign !== undefined)
    return usage(
      `The agent "${type}" has ${foreign}, which would run programs on the worker.`,
      'Run it without isolation: remote, or define the agent on the workers.',
    );
  const fields = Object.fromEntries(Object.entries(definition).filter(([field]) => kept.has(field)));
  // Checked like every definition that a program gives.
  return ok(Object.fromEntries([[type, fields as unknown as GivenAgent]]));
}

/** A type that brings programs along is not known here: its agents do not continue, and that is said. */
function readMoved(
  definitions: NonNullable<JobOrder['moved']>['definitions'],
): Result<GivenAgents | undefined> {
  const given = Object.entries(definitions).flatMap(([type, definition]) => {
    const read = readAgents({ type, definition });
    return read.ok && read.value ? Object.entries(read.value) : [];
  });
  return ok(given.length === 0 ? undefined : Object.fromEntries(given));
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && Object.keys(Object(value)).length > 0;
}

/** Where the agent works. A link of the repository must not lead out of the checkout. */
export function openStanding(top: string, stands: string): Result<string> {
  let path = top;
  try {
    for (const part of stands === '' ? [] : stands.split('/')) {
      path = join(path, part);
      if (!lstatSync(path, { throwIfNoEntry: false })) mkdirSync(path, { mode: 0o700 });
      if (!isWithin(realpathSync(path), realpathSync(top)))
        return usage(`${stands} leads out of the repository.`);
    }
    return ok(path);
  } catch (error) {
    return failure(`${stands} in the repository is not a directory: ${formatError(error)}`);
  }
}
