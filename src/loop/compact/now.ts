import type { AgentEvent, Outcome } from '../../protocol/index.ts';
import type { AgentContext } from '../agent-context.ts';
import { endAfterFailure } from '../end-of-failure.ts';

/** A compaction that somebody asked for, as a run of its own: driven like `query`. */
export async function* compactNow(
  agent: AgentContext,
  instructions?: string,
): AsyncGenerator<AgentEvent, Outcome> {
  const { compact } = await import('./compact.ts');
  const compaction = yield* compact(agent, 'manual', instructions);
  const run = { text: '', turns: 0, usage: compaction.usage };
  if (compaction.kind === 'failed') return { ...run, ...endAfterFailure(compaction.failure, agent.signal) };
  if (compaction.kind === 'held')
    return { ...run, kind: 'failed', reason: `A hook held the compaction back: ${compaction.reason}` };
  if (compaction.kind === 'nothing')
    return { ...run, kind: 'failed', reason: 'There is nothing to compact yet.' };
  const { preTokens, postTokens } = compaction;
  const text = `Compacted from about ${preTokens} to about ${postTokens} tokens.`;
  return { ...run, kind: 'completed', text };
}
