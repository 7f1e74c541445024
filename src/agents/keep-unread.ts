import { addUserMessage } from '../loop/add-message.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { recordsOf } from '../loop/records-of.ts';
import type { AgentSpec } from './spec.ts';

/**
 * Records what came for an agent and was not read any more: mail, ends of its own background work, also the prompt of
 * one that was stopped before its turn came. Whoever goes on with the agent goes on with that.
 */
export function keepUnread({ log }: AgentSpec, context: AgentContext): void {
  for (const { content, origin, uuid } of context.inbox.takeForRun())
    for (const event of addUserMessage(context, content, origin, uuid ? { uuid } : {}))
      for (const record of recordsOf(event)) log.append(record);
}
