import type { AgentEvent } from '../protocol/index.ts';
import { type AgentContext, eventOf } from './agent-context.ts';
import { askModel, type ModelAnswer } from './ask-model.ts';

/** How often a broken answer is asked for anew. */
const mostBroken = 2;

/**
 * Asks once more when an answer broke in its middle: cut off, or with a call that is no whole one. What came of it is
 * dropped, since nothing was acted on. Whatever fails before an answer begins has been tried again already, by the pacer.
 */
export async function* askAgain(agent: AgentContext): AsyncGenerator<AgentEvent, ModelAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = yield* askModel(agent);
    if (answer.ok || attempt > mostBroken || !isBroken(answer) || agent.signal.aborted) return answer;
    yield eventOf(agent, { type: 'request_retried', attempt, delayMs: 0, failure: answer.failure });
  }
}

function isBroken({ failure, partial }: Extract<ModelAnswer, { ok: false }>): boolean {
  if (failure.kind === 'malformed') return true;
  return partial !== undefined && ['network', 'server', 'overloaded'].includes(failure.kind);
}
