import type { WorkflowCallView } from '../../protocol/workflow.ts';
import type { Agent, AgentNode, ShownMember, TaskRow, View } from '../../view/index.ts';
import { agentTree, isAtWork, listTeammates, taskList } from '../../view/index.ts';
import { findAgent } from '../screen/team-lines.ts';
import type { Panel } from '../state.ts';
import { showLine } from '../text/index.ts';

/** One line of the task panel. */
export type WorkRow =
  | { readonly kind: 'agent'; readonly id: string; readonly agent: Agent; readonly depth: number }
  /** `agent`: if it runs in this session. The id is then the agent's. */
  | {
      readonly kind: 'member';
      readonly id: string;
      readonly member: ShownMember;
      readonly agent: Agent | undefined;
    }
  | { readonly kind: 'task'; readonly id: string; readonly task: TaskRow }
  /** A call of a workflow, below its task. */
  | { readonly kind: 'call'; readonly id: string; readonly call: WorkflowCallView };

/** The team, and then all other work, running first: agents below the one that started them, calls below their workflow. */
export function workRows(view: View): WorkRow[] {
  const tree = agentTree(view);
  const team = listTeammates(view).flatMap((member) => memberRows(view, member, tree));
  const inTeam = new Set(team.map(({ id }) => id));
  const runs = [...view.workflows.values()];
  // They are shown as the calls that they work on.
  for (const { callList } of runs) for (const { agentId } of callList) inTeam.add(agentId ?? '');
  const agents = tree.filter(({ agent }) => !inTeam.has(agent.id)).map((node) => branch(node, 0));
  const others = taskList(view)
    .filter(({ agentId }) => agentId === null)
    .map((task): WorkRow[] => {
      const calls = runs.findLast(({ taskId }) => taskId === task.id)?.callList ?? [];
      return [{ kind: 'task', id: task.id, task }, ...calls.map(callRow)];
    });
  return [...team, ...runningFirst([...agents, ...others])];
}

/** Of those that ended the newest first. */
function runningFirst(groups: readonly WorkRow[][]): WorkRow[] {
  const running = groups.filter((rows) => rows.some(isUnderWay));
  const ended = groups.filter((rows) => !rows.some(isUnderWay));
  return [...running, ...ended.toSorted((a, b) => findEnd(b) - findEnd(a))].flat();
}

function findEnd([first]: readonly WorkRow[]): number {
  if (first?.kind === 'agent') return first.agent.endedAt ?? 0;
  return first?.kind === 'task' ? (first.task.endedAt ?? 0) : 0;
}

function callRow(call: WorkflowCallView): WorkRow {
  return { kind: 'call', id: `${call.runId} ${call.callId}`, call };
}

/** A member, and below it the agents that it started. */
function memberRows(view: View, member: ShownMember, tree: readonly AgentNode[]): WorkRow[] {
  const agent = findAgent(view, member);
  const below = tree.find((node) => node.agent.id === agent?.id)?.children ?? [];
  return [
    { kind: 'member', id: formatMemberId(member), member, agent },
    ...below.flatMap((node) => branch(node, 1)),
  ];
}

export function formatMemberId({ agentId, name }: ShownMember): string {
  return agentId ?? `member:${name}`;
}

function branch({ agent, children }: AgentNode, depth: number): WorkRow[] {
  return [
    { kind: 'agent', id: agent.id, agent, depth },
    ...children.flatMap((child) => branch(child, depth + 1)),
  ];
}

/** The panel as it opens, with the cursor on the first row. */
export function tasksPanel(view: View): Extract<Panel, { kind: 'tasks' }> {
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
  if (row?.kind === 'member')
    return `Stop ${showLine(row.member.name, 100)}? y to stop it, any other key to cancel.`;
  const what =
    row?.kind === 'agent'
      ? `${row.agent.type} (${row.agent.description})`
      : row?.kind === 'task' && row.task.kind === 'local_workflow'
        ? `the workflow ${row.task.description}`
        : `the command ${row?.kind === 'task' ? row.task.description : ''}`;
  return `Stop ${showLine(what, 100)}? y to stop it, any other key to cancel.`;
}

export function isUnderWay(row: WorkRow): boolean {
  if (row.kind === 'call') return row.call.state !== 'ended';
  if (row.kind === 'member') return row.agent !== undefined && isAtWork(row.agent.state);
  const state = row.kind === 'agent' ? row.agent.state : row.task.state;
  return state === 'running' || state === 'pending';
}

/** A call waits for it, and could continue without it. */
export function holdsTurn(row: WorkRow): boolean {
  if (row.kind === 'agent') return isUnderWay(row) && !row.agent.isBackgrounded;
  return row.kind === 'task' && isUnderWay(row) && !row.task.isBackgrounded;
}
