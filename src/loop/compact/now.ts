import type { AgentEvent, Outcome } from '../../protocol/index.ts';
import type { AgentContext } from '../agent-context.ts';
import { endAfterFailure } from '../end-of-failure.ts';

/** A compaction on request, as a separate run: driven like `query`. */
export async function* compactNow(
  agent: AgentContext,
  instructions?: string,
): AsyncGenerator<AgentEvent, Outcome> {
  const { compact } = await import('./compact.ts');
  const compaction = yield* compact(agent, 'manual', instructions);
  const run = { text: '', turns: 0, usage: compaction.usage };
  if (compaction.kind === 'failed') return { ...run, ...endAfterFailure(compaction.failure, agent.signal) };
  if (compaction.kind === 'held')
    return { ...run, kind: 'failed', reason: `A hook blocked the compaction: ${compaction.reason}` };
  if (compaction.kind === 'nothing')
    return { ...run, kind: 'failed', reason: 'There is nothing to compact yet.' };
  const { preTokens, postTokens } = compaction;
  const text = `Compacted from about ${preTokens} to about ${postTokens} tokens.`;
  return { ...run, kind: 'completed', text };
}
