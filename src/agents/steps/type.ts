import { ok, type Result, usage } from '../../lib/result.ts';
import { isForked } from '../fork-messages.ts';
import type { AgentKernel, AgentStep } from '../kernel.ts';
import { describeTotalReached } from '../limits.ts';
import { resolveType } from '../resolve-type.ts';
import type { LiveAgent } from '../roster.ts';
import type { AgentSpec } from '../spec.ts';

/** Which type of agent it is, whether its parent may start one, and whether anybody waits for it. */
export const typeStep: AgentStep = {
  name: 'type',
  complete(spec, agents) {
    if (spec.earlier) return findEarlierType(spec, agents);
    if (spec.definition) return ok(undefined);
    return chooseType(spec, agents);
  },
};

function chooseType(spec: AgentSpec, agents: AgentKernel): Result<void> {
  const { parent, request } = spec;
  const refusal = refuseCall(spec, agents);
  if (refusal) return usage(refusal);
  const found = resolveType(typeof request.type === 'string' ? request.type : undefined, {
    definitions: agents.definitions,
    forking: agents.settings.fork,
    rules: parent.context.permissions.rules,
    ...(parent.spawnable ? { spawnable: parent.spawnable } : {}),
    coordinates: parent.coordinates === true,
  });
  if (!found.ok) return found;
  if (found.value.kind === 'fork') spec.source = 'fork';
  else spec.definition = found.value.definition;
  spec.background = runsInBackground(spec, agents);
  return ok(undefined);
}

/** The same agent again: of the same type, as far as that still exists. */
function findEarlierType(spec: AgentSpec, { definitions }: AgentKernel): Result<void> {
  const { agentType, agentId, source } = spec.earlier?.state ?? {};
  if (source === 'fork') return ok(undefined);
  spec.definition = definitions.find((one) => one.name === agentType);
  if (spec.definition) return ok(undefined);
  return usage(`The agent type ${agentType} is not there any more, so that ${agentId} cannot go on.`);
}

function refuseCall({ parent, request }: AgentSpec, agents: AgentKernel): string | undefined {
  const { settings, placements } = agents;
  if (isFork(parent)) return 'A fork cannot start agents. Do the task yourself, and report.';
  if (parent.context.depth >= settings.maxDepth)
    return (
      `Agents are at most ${settings.maxDepth} deep here, and this one is at ${parent.context.depth}: ` +
      'do the work yourself. (The setting is agents.maxDepth.)'
    );
  const enough = describeTotalReached(agents);
  if (enough) return enough;
  if (request.isolation === 'remote' && !placements.has('remote'))
    return 'isolation: remote is not available here. Leave it out, and give each agent files of its own.';
  return undefined;
}

/** Twice over: by what the agent is, and by what its history says. */
function isFork({ context }: LiveAgent): boolean {
  return context.source === 'fork' || isForked(context.conversation.records);
}

/** Background switched off beats every wish for it. */
function runsInBackground({ parent, request, definition }: AgentSpec, { settings }: AgentKernel): boolean {
  if (!settings.background) return false;
  if (parent.coordinates) return true;
  const isWished = typeof request.background === 'object' ? request.background.wished : request.background;
  return settings.fork || definition?.background === true || isWished;
}
