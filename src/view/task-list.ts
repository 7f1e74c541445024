import type { Agent } from './agent.ts';
import { isAtWork } from './agents.ts';
import type { ShownCall } from './call.ts';
import type { TaskCounts, TaskRow } from './task.ts';
import type { View } from './view.ts';

/** All background work: running first, oldest first; then ended, newest first. */
export function taskList(view: View): TaskRow[] {
  const rows = [
    ...[...view.tasks.values()].map((task): TaskRow => ({ ...task, agentId: null })),
    ...[...view.agents.values()].map(buildRow),
  ];
  return rows.sort(
    (a, b) =>
      Number(isAtWork(b.state)) - Number(isAtWork(a.state)) ||
      (isAtWork(a.state) ? a.startedAt - b.startedAt : (b.endedAt ?? 0) - (a.endedAt ?? 0)),
  );
}

export function taskCounts(view: View): TaskCounts {
  const counts = { running: 0, pending: 0, completed: 0, failed: 0, killed: 0 };
  for (const { state } of view.tasks.values()) counts[state]++;
  for (const { state } of view.agents.values()) counts[state]++;
  return counts;
}

/** Calls that will start an agent when their turn comes: the agent does not exist yet. */
export function agentsToCome({ lead, agents }: View): number {
  const isToCome = ({ toolName, state }: ShownCall) => toolName === 'Agent' && state === 'waiting';
  const conversations = [lead, ...[...agents.values()].map(({ conversation }) => conversation)];
  return conversations.reduce((sum, { live }) => sum + live.calls.filter(isToCome).length, 0);
}

function buildRow(agent: Agent): TaskRow {
  const { id, runId, state, description, startedAt, endedAt, callId, isBackgrounded, outputFile } = agent;
  return {
    id,
    runId,
    state,
    description,
    startedAt,
    endedAt,
    callId,
    isBackgrounded,
    outputFile,
    kind: 'local_agent',
    owner: agent.parent,
    error: agent.reason,
    agentId: id,
  };
}
