import type { Problem } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { type AgentEvent, noUsage, type Outcome } from '../protocol/index.ts';

export const interruptedByUser = 'Interrupted by the user.';

/** The prompt that the run answers from here on, also by refusing it. */
export function promptIn(event: AgentEvent): string | undefined {
  if (event.type === 'prompt_refused') return event.uuid;
  if (event.type !== 'message_added' || event.record.type !== 'user') return undefined;
  return event.record.origin.kind === 'human' ? event.record.uuid : undefined;
}

/** The tool that will be called: what it waits for can be prepared while the model still writes its input. */
export function toolAhead(event: AgentEvent): string | undefined {
  if (event.type !== 'model_streamed' || event.event.type !== 'block_started') return undefined;
  const { block } = event.event;
  return block.type === 'tool_use' ? block.name : undefined;
}

export function runStart(agent: AgentContext) {
  return {
    model: agent.model.id,
    contextWindow: agent.model.facts.window,
    permissionMode: agent.permissions.mode,
    cwd: agent.hands.directory.current,
    tools: agent.tools.map((tool) => tool.name),
  };
}

export function failedOutcome(problem: Problem): Outcome {
  const reason = problem.hint ? `${problem.message} ${problem.hint}` : problem.message;
  return { kind: 'failed', text: '', reason, turns: 0, usage: noUsage };
}
