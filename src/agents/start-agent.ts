import type { TaskHandle } from '../protocol/index.ts';
import { endOfRun } from './agent-result.ts';
import type { Child } from './child.ts';
import { warnOfInjection } from './handoff-check.ts';
import type { LiveAgent } from './roster.ts';
import { runAgent } from './run-agent.ts';
import type { AgentServices } from './services.ts';

/** A message of another agent, ready to be read by a model. */
export interface Mail {
  text: string;
  origin: { kind: 'mail'; from: string; id: string };
}

/**
 * Starts an agent as a task, which pumps it by itself. Whoever wants to wait for it waits for the handle; moving it to
 * the background is to stop waiting.
 */
export function startAgent(
  services: AgentServices,
  parent: LiveAgent,
  child: Child,
  options: { prompt: string; background: boolean; mail?: Mail },
): TaskHandle {
  const { roster, tasks } = services;
  const context = child.makeContext(new AbortController().signal);
  if (child.content.length > 0)
    context.inbox.post({ delivery: 'steer', content: [...child.content], origin: { kind: 'delegation' } });
  if (options.mail)
    context.inbox.post({
      delivery: 'steer',
      content: [{ type: 'text', text: options.mail.text }],
      origin: options.mail.origin,
    });
  // Also while it waits for its turn it can be written to.
  roster.enter(child.id, { context, account: child.account });
  roster.countStart();
  if (child.name) roster.name(child.name, child.id);
  const waits = parent.context.depth === 0;
  const task = tasks.spawn({
    kind: 'local_agent',
    id: child.id,
    description: child.description,
    owner: parent.context.agentId,
    toolUseId: child.parentToolUseId,
    background: options.background,
    agent: {
      type: child.type,
      ...(child.name ? { name: child.name } : {}),
      prompt: options.prompt,
      model: child.model,
      depth: child.depth,
      progress: { toolUses: 0, inputTokens: 0, outputTokens: 0, activities: [] },
    },
    ...(waits ? { ready: (signal) => services.slots.take(signal) } : {}),
    run: async (task) => {
      for (const record of child.opening) {
        const written = child.log.append(record);
        if (!written.ok) return { status: 'failed', text: '', reason: written.problem.message };
      }
      const end = endOfRun(await runAgent(services, child, task));
      return warnOfInjection(services, context.conversation.records, end);
    },
  });
  // Also where it was stopped before it began.
  if (child.release) void task.result().then(() => child.release?.());
  return task;
}
