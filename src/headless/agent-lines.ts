import { visibleLine } from '../lib/text/text.ts';
import { formatCount } from '../models/budget/caps.ts';
import type { AgentEvent, TaskEnd, TaskView } from '../protocol/index.ts';
import { isUnderWay } from '../tasks/tasks.ts';

/** One line for each agent that starts, moves to the background or ends, for a person who waits. */
export function agentLines(): (event: AgentEvent) => string | undefined {
  const told = new Map<string, TaskView>();
  return (event) => {
    if (event.type !== 'task_changed' || !event.task.agent) return undefined;
    const { task, end } = event;
    const before = told.get(task.runId);
    if (isUnderWay(task)) told.set(task.runId, task);
    else told.delete(task.runId);
    if (end) return `cadre: agent ${formatAgentTask(task)} ${describeEnd(task, end)}\n`;
    if (!before) return `cadre: agent ${formatAgentTask(task)} started\n`;
    return task.isBackgrounded && !before.isBackgrounded
      ? `cadre: agent ${formatAgentTask(task)} continues in the background\n`
      : undefined;
  };
}

export function formatAgentTask({ id, description, agent }: TaskView): string {
  return visibleLine(`${agent?.member?.address ?? agent?.type ?? id} "${description}" (${id})`, 160);
}

function describeEnd(task: TaskView, { status, outcome, usage }: TaskEnd): string {
  const words = { completed: 'completed', killed: 'was stopped', failed: `failed (${outcome ?? 'failed'})` };
  const started = Date.parse(task.startedAt);
  const durationMs = usage?.durationMs ?? Date.parse(task.endedAt ?? task.startedAt) - started;
  const tokens = usage ? `, ${formatCount(usage.totalTokens)} tokens` : '';
  return `${words[status]} after ${Math.round(durationMs / 1000)} s${tokens}`;
}
