import { type AgentEvent, addUsage, noUsage, type Usage } from '../protocol/index.ts';
import { type AgentContext, markEvent } from './agent-context.ts';
import { askModel, type ModelAnswer } from './ask-model.ts';
import type { Compaction } from './compact/compact.ts';
import { isFull, nextRequestTokens } from './context-room.ts';
import { takeLetters } from './take-letters.ts';

/** How many requests may fail as too long before giving up; the conversation is made shorter each time. */
const maxOverflows = 2;
/** How often a broken answer is requested again. */
const maxBroken = 2;

/**
 * Asks the model within its window: compacts before a request that would not fit, and after one that did not. A broken
 * answer is requested again. `spent` is the usage besides the answer itself.
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
  for (let overflows = 0, broken = 0; ; ) {
    const answer = yield* askModel(agent);
    if (answer.ok || agent.signal.aborted) return { answer, spent };
    if (isBroken(answer) && broken++ < maxBroken) {
      spent = addUsage(spent, answer.usage);
      yield markEvent(agent, {
        type: 'request_retried',
        attempt: broken,
        delayMs: 0,
        failure: answer.failure,
      });
      continue;
    }
    if (answer.failure.kind !== 'context_overflow') return { answer, spent };
    if (!mayCompact || overflows++ === maxOverflows) return { answer, spent };
    agent.conversation.noteOverflow(agent.model.id, nextRequestTokens(agent));
    const compaction = yield* makeRoom(agent);
    spent = addUsage(addUsage(spent, answer.usage), compaction.usage);
    if (compaction.kind === 'failed') return { answer: refused(compaction), spent };
    if (compaction.kind !== 'done') return { answer, spent };
  }
}

/**
 * True when an answer broke in its middle: cut off, or with an incomplete call. The rest of it is dropped, since
 * nothing acted on it. The pacer has already retried failures before the start of an answer.
 */
function isBroken({ failure, partial }: Extract<ModelAnswer, { ok: false }>): boolean {
  if (failure.kind === 'malformed') return true;
  return partial !== undefined && ['network', 'server', 'overloaded'].includes(failure.kind);
}

async function* makeRoom(agent: AgentContext): AsyncGenerator<AgentEvent, Compaction> {
  // Most runs never need it.
  const { compact } = await import('./compact/compact.ts');
  const compaction = yield* compact(agent, 'auto');
  // Letters that came meanwhile need not wait for another turn.
  if (compaction.kind === 'done') yield* takeLetters(agent, 'steering');
  return compaction;
}

function refused({ failure }: Extract<Compaction, { kind: 'failed' }>): ModelAnswer {
  return { ok: false, failure, usage: noUsage };
}
