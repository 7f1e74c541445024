import type { Problem } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { type AgentEvent, noUsage, type Outcome } from '../protocol/index.ts';

export const interruptedByUser = 'Interrupted by the user.';

export function isPrompt(event: AgentEvent): event is Extract<AgentEvent, { type: 'message_added' }> {
  return (
    event.type === 'message_added' && event.record.type === 'user' && event.record.origin.kind === 'human'
  );
}

/** A shell will be needed: what it waits for can be prepared while the model still writes the command. */
export function startsShellCall(event: AgentEvent): boolean {
  if (event.type !== 'model_streamed' || event.event.type !== 'block_started') return false;
  const { block } = event.event;
  return block.type === 'tool_use' && block.name === 'Bash';
}

export function runStart(agent: AgentContext) {
  return {
    model: agent.model.id,
    permissionMode: agent.permissions.mode,
    cwd: agent.hands.directory.current,
    tools: agent.tools.map((tool) => tool.name),
  };
}

export function failedOutcome(problem: Problem): Outcome {
  const reason = problem.hint ? `${problem.message} ${problem.hint}` : problem.message;
  return { kind: 'failed', text: '', reason, turns: 0, usage: noUsage };
}
