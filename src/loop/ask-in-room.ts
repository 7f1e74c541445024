import { type AgentEvent, addUsage, noUsage, type Usage } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import { askAgain } from './ask-again.ts';
import type { ModelAnswer } from './ask-model.ts';
import type { Compaction } from './compact.ts';
import { isFull, nextRequestTokens } from './context-room.ts';
import { takeLetters } from './take-letters.ts';

/** Requests that may come back as too long before it is given up; each time the conversation is made shorter. */
const mostOverflows = 2;

/**
 * Asks the model within its window: compacts before a request that would not fit, and after one that did not.
 * `spent` is what that took beside the answer itself.
 */
export async function* askInRoom(
  agent: AgentContext,
): AsyncGenerator<AgentEvent, { answer: ModelAnswer; spent: Usage }> {
  const mayCompact = agent.limits.autoCompact !== false;
  let spent = noUsage;
  if (mayCompact && isFull(agent)) {
    const compaction = yield* makeRoom(agent);
    spent = compaction.usage;
    if (compaction.kind === 'failed') return { answer: refused(compaction), spent };
  }
  for (let overflows = 0; ; overflows++) {
    const answer = yield* askAgain(agent);
    if (answer.ok || answer.failure.kind !== 'context_overflow') return { answer, spent };
    if (!mayCompact || overflows === mostOverflows) return { answer, spent };
    agent.conversation.noteOverflow(agent.model.id, nextRequestTokens(agent));
    const compaction = yield* makeRoom(agent);
    spent = addUsage(addUsage(spent, answer.usage), compaction.usage);
    if (compaction.kind === 'failed') return { answer: refused(compaction), spent };
    if (compaction.kind === 'nothing') return { answer, spent };
  }
}

async function* makeRoom(agent: AgentContext): AsyncGenerator<AgentEvent, Compaction> {
  // Most runs never need it.
  const { compact } = await import('./compact.ts');
  const compaction = yield* compact(agent, 'auto');
  // What was said meanwhile need not wait for another turn.
  if (compaction.kind === 'done') yield* takeLetters(agent, 'steering');
  return compaction;
}

function refused({ failure }: Extract<Compaction, { kind: 'failed' }>): ModelAnswer {
  return { ok: false, failure, usage: noUsage };
}
