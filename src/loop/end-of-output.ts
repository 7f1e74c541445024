import { type Outcome, type ToolUseBlock, textOf } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';

/** How a run ends once its answer is returned, or can no longer be; undefined while the run continues. */
export function endAfterOutput(
  { output, conversation, signal }: AgentContext,
  calls: readonly ToolUseBlock[],
): Partial<Outcome> | undefined {
  const handIn = calls.findLast(({ name }) => name === output?.tool.name);
  if (!output || !handIn) return undefined;
  // An interrupted call was not refused.
  if (!signal.aborted) output.noteCall(findResult(conversation, handIn.id));
  const state = output.state();
  if (state.kind === 'given') return { kind: 'completed', output: state.value };
  if (state.kind === 'failed') return { kind: 'failed', reason: state.reason, outputMissing: true };
  return undefined;
}

function findResult({ records }: AgentContext['conversation'], id: string): string {
  for (const { type, message } of records.toReversed())
    if (type === 'user')
      for (const block of message.content)
        if (block.type === 'tool_result' && block.tool_use_id === id) return textOf(block.content);
  return '';
}
