import type { Agent, AgentNode, TaskRow, View } from '../../view/index.ts';
import { agentTree, taskList } from '../../view/index.ts';

/** One line of the task panel. */
export type WorkRow =
  | { readonly kind: 'agent'; readonly id: string; readonly agent: Agent; readonly depth: number }
  | { readonly kind: 'task'; readonly id: string; readonly task: TaskRow };

/** The tree of agents, each below the one that started it, and then all other work. */
export function workRows(view: View): WorkRow[] {
  const agents = agentTree(view).flatMap((node) => branch(node, 0));
  const others = taskList(view)
    .filter(({ agentId }) => agentId === null)
    .map((task): WorkRow => ({ kind: 'task', id: task.id, task }));
  return [...agents, ...others];
}

function branch({ agent, children }: AgentNode, depth: number): WorkRow[] {
  return [
    { kind: 'agent', id: agent.id, agent, depth },
    ...children.flatMap((child) => branch(child, depth + 1)),
  ];
}

export function isUnderWay(row: WorkRow): boolean {
  const state = row.kind === 'agent' ? row.agent.state : row.task.state;
  return state === 'running' || state === 'pending';
}
