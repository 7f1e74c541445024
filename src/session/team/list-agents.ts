import type { AgentKernel } from '../../agents/kernel.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { isSubAgent, type MemberView, type TaskView } from '../../protocol/index.ts';
import { isUnderWay } from '../../tasks/tasks.ts';
import type { TeamAnswer } from '../../team/tools/team-tools.ts';
import type { SessionCrew } from './crew.ts';

const maxListed = 50;

/** The members of the team, and the agents that this agent started: those that run, and the newest that have ended. */
export function listAgents(
  { tasks }: AgentKernel,
  crew: SessionCrew | undefined,
  agentId: string | null,
): TeamAnswer {
  const members = crew?.view().members ?? [];
  const own = tasks
    .list()
    .filter((task) => isSubAgent(task) && task.owner === agentId)
    .slice(-maxListed);
  const lines = [
    ...(crew ? [`Team ${crew.office.name}:`, ...members.map(describeMember)] : []),
    ...(own.length > 0 ? ['Agents:', ...own.map(describeTask)] : []),
  ];
  return {
    text: lines.length > 0 ? lines.join('\n') : 'There is no team, and no agent was started.',
    data: { team: crew?.office.name ?? null, members, agents: own.map(pickTask) },
  };
}

export function describeMember({ name, agentType, state, reason, unread, items, model }: MemberView): string {
  const facts = [
    `${name} (${agentType ?? 'member'})`,
    reason ? `${state}: ${visibleLine(reason, 200)}` : state,
    ...(items.length > 0 ? [`items ${items.join(', ')}`] : []),
    ...(unread > 0 ? [`${unread} unread`] : []),
    ...(model ? [model] : []),
  ];
  return `- ${facts.join(' · ')}`;
}

function describeTask(task: TaskView): string {
  const { id, agent, description, status } = task;
  const name = agent?.name ? `${agent.name} (${id})` : id;
  return `- ${name} · ${agent?.type ?? 'agent'} · ${status} · ${visibleLine(description, 100)}`;
}

function pickTask(task: TaskView) {
  const { id, agent, description, status } = task;
  return { id, name: agent?.name, type: agent?.type, description, status, isRunning: isUnderWay(task) };
}
