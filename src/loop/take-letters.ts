import type { AgentEvent } from '../protocol/index.ts';
import { addUserMessage } from './add-message.ts';
import type { AgentContext } from './agent-context.ts';

/** Moves what waits in the inbox into the conversation; tells whether there was anything. */
export function* takeLetters(agent: AgentContext, which: 'run' | 'steering'): Generator<AgentEvent, boolean> {
  const letters = which === 'run' ? agent.inbox.takeForRun() : agent.inbox.takeSteering();
  for (const { content, origin, uuid } of letters)
    yield* addUserMessage(agent, content, origin, uuid ? { uuid } : {});
  return letters.length > 0;
}
