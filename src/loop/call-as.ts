import type { AgentEvent, ToolResult, ToolUseBlock } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import { prepareCall } from './prepare-call.ts';
import { judgeAndRun } from './run-call.ts';

/**
 * A call that the harness makes in an agent's name: what a skill's text has run, for example. It is judged, asked about
 * and run exactly as if the agent's model had asked for it; only its result goes to whoever asked, and not into the
 * conversation.
 */
export async function* callAs(
  agent: AgentContext,
  use: ToolUseBlock,
  variables: Readonly<Record<string, string>> = {},
): AsyncGenerator<AgentEvent, ToolResult> {
  const { result } = yield* judgeAndRun(agent, prepareCall(agent, use), variables);
  return result;
}
