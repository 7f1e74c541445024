import type { AgentEvent } from '../protocol/index.ts';
import { addUserMessage } from './add-message.ts';
import type { AgentContext } from './agent-context.ts';

/** Moves what waits in the inbox into the conversation; tells whether there was anything. */
export async function* takeLetters(
  agent: AgentContext,
  which: 'run' | 'steering',
): AsyncGenerator<AgentEvent, boolean> {
  const letters = which === 'run' ? agent.inbox.takeForRun() : agent.inbox.takeSteering();
  for (const { content, origin, uuid } of letters) {
    const read = origin.kind === 'human' && agent.readPrompt ? await agent.readPrompt(content) : content;
    yield* addUserMessage(agent, read, origin, uuid ? { uuid } : {});
  }
  return letters.length > 0;
}
