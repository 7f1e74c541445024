import { isAgentName } from '../agents/agent-schema.ts';
import { makeDelegate } from '../agents/delegate.ts';
import { fillSkills } from '../agents/fill-skills.ts';
import { resolveType } from '../agents/resolve-type.ts';
import type { LiveAgent } from '../agents/roster.ts';
import type { AgentServices } from '../agents/services.ts';
import { startAgent, totalReached } from '../agents/start-agent.ts';
import { withGitStatus } from '../agents/with-git-status.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import type { TaskHandle, ToolContext } from '../protocol/index.ts';
import { spawnCommand } from '../tools/bash-background.ts';
import type { Dreams } from './dream-watch.ts';

/** Background work that a program starts by itself. It is the user's own wish: nobody is asked. */
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

/** Starts it below the lead, who hears of its end like of any other. Nothing starts in a session that was closed meanwhile. */
export async function spawnTask(
  services: AgentServices,
  request: SpawnRequest,
  dreams: Dreams,
  isClosed: () => boolean,
): Promise<Result<TaskHandle>> {
  const lead = services.roster.find(null);
  if (!lead) return usage('The session is not open.');
  if (request.kind === 'local_bash') return ok(spawnShell(services, lead, request));
  if (request.kind === 'dream') {
    const { kind: _, ...wish } = request;
    const started = dreams.start(wish);
    return started ? ok(started) : usage('The session is not open.');
  }
  return spawnAgent(services, lead, request, isClosed);
}

function spawnShell(
  services: AgentServices,
  { context }: LiveAgent,
  request: Extract<SpawnRequest, { kind: 'local_bash' }>,
): TaskHandle {
  const hands: ToolContext = {
    ...context.hands,
    agentId: null,
    toolUseId: spawnId(services),
    signal: new AbortController().signal,
    clock: services.clock,
    mayRead: () => true,
    judged: () => undefined,
  };
  return spawnCommand(request, hands);
}

async function spawnAgent(
  services: AgentServices,
  lead: LiveAgent,
  request: Extract<SpawnRequest, { kind: 'local_agent' }>,
  isClosed: () => boolean,
): Promise<Result<TaskHandle>> {
  if (request.prompt.trim() === '') return usage('prompt: expected what the agent is to do.');
  if (request.name !== undefined && !isAgentName(request.name))
    return usage('name: expected letters, digits, "-", "_" and ".", beginning with a letter.');
  const found = resolveType(request.type ?? 'general-purpose', {
    definitions: services.definitions,
    forking: false,
    rules: lead.context.permissions.rules,
    ...(lead.spawnable ? { spawnable: lead.spawnable } : {}),
  });
  if (!found.ok) return found;
  if (found.value.kind === 'fork') return usage('A program starts no forks: name another type.');
  const { definition } = found.value;
  const servers = services.openServers?.(definition);
  await servers?.ready(new AbortController().signal);
  const order = await withGitStatus(services, lead, definition, {
    agentId: `a${services.ids.token(12)}`,
    toolUseId: spawnId(services),
    description: request.description ?? request.prompt.slice(0, 60),
    prompt: request.prompt,
    background: true,
    editsAllowed: false,
    ...(servers ? { servers } : {}),
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(request.model === undefined ? {} : { model: request.model }),
  });
  const made = makeDelegate(services, lead, definition, order);
  if (made.ok) await fillSkills(services, definition, made.value, new AbortController().signal);
  const refusal = isClosed() ? 'The session was closed before the agent began.' : totalReached(services);
  const ready = made.ok && refusal ? usage(refusal) : made;
  if (!ready.ok) {
    await servers?.release();
    return ready;
  }
  return ok(startAgent(services, lead, ready.value, { prompt: request.prompt, background: true }));
}

function spawnId({ ids }: AgentServices): string {
  return `spawn-${ids.token(12)}`;
}
