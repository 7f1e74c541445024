import { judge } from '../permissions/context.ts';
import type { Access, Decision } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import type { PreparedCall } from './prepare-call.ts';

/** From the directory as it is now: a call before this one in the same message may have moved it. */
export function accessesOf(agent: AgentContext, { tool, input }: PreparedCall): Access[] {
  return tool.access(input, agent.hands.directory.current);
}

export function judgeCall(agent: AgentContext, { tool, input }: PreparedCall, accesses: Access[]): Decision {
  return judge(agent.permissions, { tool: tool.name, accesses, input });
}
