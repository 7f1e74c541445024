import type { AgentEvent, Outcome } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import { describeHookPlace } from './hook-place.ts';
import { query } from './query.ts';

/** `query()`, repeated within the same run for as long as hooks keep the agent from stopping. */
export async function* queryUntilStopped(agent: AgentContext): AsyncGenerator<AgentEvent, Outcome> {
  let outcome = yield* query(agent);
  if (!agent.hooks?.agentStopping) return outcome;
  for (let round = 0; await goesOn(agent, outcome, round); round++) outcome = yield* query(agent, outcome);
  return outcome;
}

/** Asks the hooks whether the agent may stop. If not, its inbox then holds what it should do instead. */
export async function goesOn(agent: AgentContext, outcome: Outcome, round: number): Promise<boolean> {
  const { hooks, inbox, signal } = agent;
  if (!hooks?.agentStopping || outcome.kind !== 'completed') return false;
  const stop = { lastMessage: outcome.text, round, isForced: false };
  const { goOn } = await hooks.agentStopping(stop, describeHookPlace(agent));
  if (goOn === undefined || signal.aborted) return false;
  inbox.post({ delivery: 'steer', content: [{ type: 'text', text: goOn }], origin: { kind: 'harness' } });
  return true;
}
