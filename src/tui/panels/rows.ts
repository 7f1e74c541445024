import type { Agent, AgentNode, TaskRow, View } from '../../view/index.ts';
import { agentTree, taskList } from '../../view/index.ts';
import type { Panel } from '../state.ts';
import { showLine } from '../text/index.ts';

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

/** The panel as it opens, with the cursor on the first row. */
export function tasksPanel(view: View): Panel {
  return { kind: 'tasks', selected: workRows(view)[0]?.id ?? null };
}

/** The cursor's row: rows come and go, but it stays on the chosen one. */
export function findSelected(rows: readonly WorkRow[], selected: string | null): number {
  return Math.max(
    0,
    rows.findIndex(({ id }) => id === selected),
  );
}

/** The question asked before it is stopped. */
export function stopWords(row: WorkRow | undefined): string {
  const what =
    row?.kind === 'agent'
      ? `${row.agent.type} (${row.agent.description})`
      : `the command ${row?.task.description ?? ''}`;
  return `Stop ${showLine(what, 100)}? y to stop it, any other key to cancel.`;
}

export function isUnderWay(row: WorkRow): boolean {
  const state = row.kind === 'agent' ? row.agent.state : row.task.state;
  return state === 'running' || state === 'pending';
}
