import { addUserMessage } from '../loop/add-message.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { recordsOf } from '../loop/records-of.ts';
import type { AgentKernel } from './kernel.ts';
import { releaseAgent } from './prepare-agent.ts';
import type { AgentSpec } from './spec.ts';

/** The agent's run is over, wherever it was: nothing of it is left but its transcript. */
export async function endAgent(agents: AgentKernel, spec: AgentSpec, context: AgentContext): Promise<void> {
  const { roster, tasks, leases, scopes } = agents;
  const { id, log } = spec;
  const live = roster.find(id);
  if (live) roster.enter(id, { ...live, isEnding: true });
  // Nobody could stop it any more.
  await tasks.killAll('the agent that started it has ended', (one) => one.owner === id);
  leases.leave(id);
  await releaseAgent(agents, spec);
  keepUnread(spec, context);
  roster.leave(id);
  scopes.end(id);
  log.close();
}

/**
 * Records what came for an agent and was not read any more: mail, ends of its own background work, also the prompt of
 * one that was stopped before its turn came. Whoever goes on with the agent goes on with that.
 */
export function keepUnread({ log }: AgentSpec, context: AgentContext): void {
  for (const { content, origin, uuid } of context.inbox.takeForRun())
    for (const event of addUserMessage(context, content, origin, uuid ? { uuid } : {}))
      for (const record of recordsOf(event)) log.append(record);
}
