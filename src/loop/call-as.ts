import type { AgentEvent, ToolResult, ToolUseBlock } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import { hookCalls } from './hooked-call.ts';
import { prepareCall } from './prepare-call.ts';
import { judgeAndRun } from './run-call.ts';

/**
 * A call that the harness makes in an agent's name, for example a command in a skill's text. Hooks, judgement,
 * questions and execution are the same as if the agent's model had asked for it; only its result goes to the caller
 * instead of the conversation.
 */
export async function* callAs(
  agent: AgentContext,
  use: ToolUseBlock,
  variables: Readonly<Record<string, string>> = {},
): AsyncGenerator<AgentEvent, ToolResult> {
  const prepared = prepareCall(agent, use);
  const [call = prepared] = agent.hooks?.beforeTool ? await hookCalls(agent, [prepared]) : [prepared];
  const { result } = yield* judgeAndRun(agent, call, variables);
  return result;
}
