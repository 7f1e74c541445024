import type { AgentEvent, Note } from '../protocol/index.ts';
import { addUserMessage } from './add-message.ts';
import type { AgentContext } from './agent-context.ts';

/** Adds the notes of hooks, if there are any. */
export function* addNotes(agent: AgentContext, notes: readonly Note[]): Generator<AgentEvent, void> {
  if (notes.length === 0) return;
  const content = notes.map((text) => ({ type: 'text' as const, text }));
  yield* addUserMessage(agent, content, { kind: 'harness' });
}
