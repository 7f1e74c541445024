import { isAgentName } from '../../agents/agent-schema.ts';
import type { AgentKernel } from '../../agents/kernel.ts';
import { prepareAgent } from '../../agents/prepare-agent.ts';
import type { LiveAgent } from '../../agents/roster.ts';
import type { AgentRequest } from '../../agents/spec.ts';
import { startAgent } from '../../agents/start-agent.ts';
import { resolveType } from '../../agents/steps/type.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { TaskHandle, ToolContext } from '../../protocol/index.ts';
import { spawnCommand } from '../../tools/bash/background.ts';
import type { Dreams } from '../dreams/dreams.ts';

/** Background work that a program starts itself. The user wants it, so no permission question is asked. */
export type SpawnRequest =
  | { kind: 'local_bash'; command: string; description?: string; timeout?: number }
  | {
      kind: 'local_agent';
      prompt: string;
      description?: string;
      type?: string;
      name?: string;
      model?: string;
    }
  | { kind: 'dream'; about?: string; model?: string; maxTokens?: number };

/** Starts it below the lead, which is notified when it ends. Nothing starts once the session is closed. */
export async function spawnTask(
  agents: AgentKernel,
  request: SpawnRequest,
  dreams: Dreams,
  isClosed: () => boolean,
): Promise<Result<TaskHandle>> {
  const lead = agents.roster.find(null);
  if (!lead) return usage('The session is not open.');
  if (request.kind === 'local_bash') return ok(spawnShell(agents, lead, request));
  if (request.kind === 'dream') {
    const { kind: _, ...wish } = request;
    const started = dreams.start(wish);
    return started ? ok(started) : usage('The session is not open.');
  }
  return spawnAgent(agents, lead, request, isClosed);
}

function spawnShell(
  agents: AgentKernel,
  { context }: LiveAgent,
  request: Extract<SpawnRequest, { kind: 'local_bash' }>,
): TaskHandle {
  const hands: ToolContext = {
    ...context.hands,
    agentId: null,
    toolUseId: spawnId(agents),
    signal: new AbortController().signal,
    clock: agents.clock,
    mayRead: () => true,
    judged: () => undefined,
  };
  return spawnCommand(request, hands);
}

async function spawnAgent(
  agents: AgentKernel,
  lead: LiveAgent,
  request: Extract<SpawnRequest, { kind: 'local_agent' }>,
  isClosed: () => boolean,
): Promise<Result<TaskHandle>> {
  if (request.prompt.trim() === '')
    return usage('prompt: expected a task for the agent, got an empty string.');
  if (request.name !== undefined && !isAgentName(request.name))
    return usage('name: expected letters, digits, "-", "_" and ".", starting with a letter.');
  const found = resolveType(request.type ?? 'general-purpose', {
    definitions: agents.definitions,
    forking: false,
    rules: lead.context.permissions.rules,
    spawnable: lead.spawnable,
  });
  if (!found.ok) return found;
  if (found.value.kind === 'fork') return usage('A program cannot start a fork. Choose another agent type.');
  const wanted: AgentRequest = {
    toolUseId: spawnId(agents),
    description: request.description ?? request.prompt.slice(0, 60),
    prompt: request.prompt,
    type: found.value.definition,
    name: request.name,
    model: request.model,
    isolation: 'shared',
    background: true,
  };
  const options = {
    signal: new AbortController().signal,
    refuse: () => (isClosed() ? 'The session was closed before the agent started.' : undefined),
  };
  return prepareAgent(agents, lead, wanted, options, (spec) => startAgent(agents, spec));
}

function spawnId({ ids }: AgentKernel): string {
  return `spawn-${ids.token(12)}`;
}
