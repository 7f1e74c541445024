import { isAgentName } from '../../agents/agent-schema.ts';
import { isHostLabel } from '../../agents/definition.ts';
import type { AgentKernel } from '../../agents/kernel.ts';
import { prepareAgent } from '../../agents/prepare-agent.ts';
import type { LiveAgent } from '../../agents/roster.ts';
import type { AgentRequest } from '../../agents/spec.ts';
import { startAgent } from '../../agents/start-agent.ts';
import { resolveType } from '../../agents/steps/type.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { type TaskHandle, type ToolContext, textOf } from '../../protocol/index.ts';
import { spawnCommand } from '../../tools/bash/background.ts';
import type { WatchedServers } from '../../tools/monitor/monitor-schema.ts';
import type { SpawnRequest } from '../../tools/spawn-request.ts';
import type { Dreams } from '../dreams/dreams.ts';
import type { SessionWorkflows } from '../workflows/workflows.ts';

export type { SpawnRequest } from '../../tools/spawn-request.ts';

/** Starts it below the lead, which is notified when it ends. Nothing starts once the session is closed. */
export async function spawnTask(
  agents: AgentKernel,
  given: SpawnRequest,
  { dreams, workflows }: { dreams: Dreams; workflows: SessionWorkflows },
  servers: WatchedServers,
  isClosed: () => boolean,
): Promise<Result<TaskHandle>> {
  const { checkSpawnRequest } = await import('../../tools/spawn-request.ts');
  const request = checkSpawnRequest(given);
  if (!request.ok) return request;
  const spawned = await spawnChecked(agents, request.value, { dreams, workflows, servers, isClosed });
  return spawned.ok ? ok(asProgramsOwn(spawned.value)) : spawned;
}

/** The program acts for the user: what it stops was stopped, not just interrupted with a turn. */
function asProgramsOwn(task: TaskHandle): TaskHandle {
  return { ...task, kill: (reason = 'stopped by the program', by = 'user') => task.kill(reason, by) };
}

interface SpawnNeeds {
  workflows: SessionWorkflows;
  dreams: Dreams;
  servers: WatchedServers;
  isClosed(): boolean;
}

async function spawnChecked(
  agents: AgentKernel,
  request: SpawnRequest,
  { dreams, workflows, servers, isClosed }: SpawnNeeds,
): Promise<Result<TaskHandle>> {
  const lead = agents.roster.find(null);
  if (!lead || isClosed()) return usage('The session is not open.');
  if (request.kind === 'local_bash') return ok(spawnCommand(request, openHands(agents, lead)));
  if (request.kind === 'monitor_mcp') {
    const { kind: _, ...input } = request;
    const { beginMonitor } = await import('../../tools/monitor/monitor.ts');
    return beginMonitor(input, openHands(agents, lead), servers);
  }
  if (request.kind === 'dream') {
    const { kind: _, ...wish } = request;
    const started = dreams.start(wish);
    return started ? ok(started) : usage('The session is not open.');
  }
  if (request.kind === 'local_workflow') {
    const { kind: _, ...wish } = request;
    return workflows.start({ ...wish, owner: null });
  }
  if (request.kind === 'in_process_teammate') return spawnTeammate(agents, lead, request);
  return spawnAgent(agents, lead, request, isClosed);
}

async function spawnTeammate(
  agents: AgentKernel,
  lead: LiveAgent,
  {
    name,
    prompt,
    description = prompt.slice(0, 60),
    type,
    model,
  }: Extract<SpawnRequest, { kind: 'in_process_teammate' }>,
): Promise<Result<TaskHandle>> {
  const seat = agents.teams?.findSeat(lead, { name, type }) ?? ok(undefined);
  if (!seat.ok) return seat;
  if (!seat.value) return usage('This session leads no team.', 'Create one with createTeam first.');
  const request = { toolUseId: spawnId(agents), description, prompt, type, model, background: true };
  const started = await seat.value.start(request, { signal: new AbortController().signal });
  const handle = started.isError ? undefined : agents.tasks.find(name);
  return handle ? ok(handle) : usage(textOf(started.content));
}

function openHands(agents: AgentKernel, { context }: LiveAgent): ToolContext {
  return {
    ...context.hands,
    agentId: null,
    toolUseId: spawnId(agents),
    signal: new AbortController().signal,
    clock: agents.clock,
    mayRead: () => true,
    judged: () => undefined,
  };
}

async function spawnAgent(
  agents: AgentKernel,
  lead: LiveAgent,
  request: Extract<SpawnRequest, { kind: 'local_agent' | 'remote_agent' }>,
  isClosed: () => boolean,
): Promise<Result<TaskHandle>> {
  if (request.name !== undefined && !isAgentName(request.name))
    return usage('name: expected letters, digits, "-", "_" and ".", starting with a letter.');
  if (request.kind === 'remote_agent' && request.host !== undefined && !isHostLabel(request.host))
    return usage('host: expected the label of workers: letters, digits, "-", "_" and ".".');
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
    isolation: request.kind === 'remote_agent' ? 'remote' : 'shared',
    ...(request.kind === 'remote_agent' && request.host !== undefined ? { host: request.host } : {}),
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
