import type { Agent, AgentNode } from './agent.ts';
import type { AgentSummary } from './agent-summary.ts';
import { isAtWork } from './agents.ts';
import type { ShownConversation } from './entry.ts';
import { formatDuration, formatTokens, formatTools } from './format.ts';
import type { View, Worktree } from './view.ts';

/** The agents started by a call, in order. `parent` is the agent that made the call. */
export function agentRows(view: View, callId: string, parent: string | null = null): Agent[] {
  return [...view.agents.values()].filter((agent) => agent.callId === callId && agent.parent === parent);
}

/** An agent whose parent is no longer known goes to the top. */
export function agentTree(view: View): AgentNode[] {
  const children = new Map<string | null, Agent[]>();
  for (const agent of view.agents.values()) {
    const parent = agent.parent !== null && view.agents.has(agent.parent) ? agent.parent : null;
    children.set(parent, [...(children.get(parent) ?? []), agent]);
  }
  const nodesBelow = (id: string | null): AgentNode[] =>
    (children.get(id) ?? []).map((agent) => ({ agent, children: nodesBelow(agent.id) }));
  return nodesBelow(null);
}

/** Its total running time, over all its runs. */
export function measureDuration({ startedAt, endedAt, earlierMs }: AgentSummary, now: number): number {
  return earlierMs + Math.max(0, (endedAt ?? now) - startedAt);
}

/** `12 tools · 12.3k tokens · 1m 04s`, without a time that nobody knows; for a resumed agent the totals, with `2 runs` before them. */
export function formatCounts(agent: AgentSummary, now: number): string {
  const { runs, toolUses, tokens, isCutOff } = agent;
  const time = isCutOff ? [] : [formatDuration(measureDuration(agent, now))];
  const parts = [formatTools(toolUses), formatTokens(tokens), ...time];
  return [...(runs > 1 ? [`${runs} runs`] : []), ...parts].join(' · ');
}

/** The closing note of an ended agent: `completed · ` and its counts. For others only their state. */
export function formatSummary(agent: AgentSummary, now = agent.endedAt ?? agent.startedAt): string {
  if (isAtWork(agent.state)) return formatState(agent);
  return `${formatState(agent)} · ${formatCounts(agent, now)}`;
}

/** An agent's state in one or two words. */
export function formatState({ state, outcome, isBackgrounded }: AgentSummary): string {
  if (state === 'pending') return 'queued';
  if (state === 'running') return isBackgrounded ? 'in the background' : 'running';
  return words[outcome ?? state] ?? state;
}

const words: Readonly<Record<string, string>> = {
  completed: 'completed',
  truncated: 'cut off',
  out_of_turns: 'out of turns',
  out_of_budget: 'out of budget',
  timed_out: 'timed out',
  unfinished: 'unfinished',
  interrupted: 'interrupted',
  failed: 'failed',
  killed: 'stopped',
};

/** Null is the lead; undefined if there is no such agent. */
export function findConversation(view: View, agentId: string | null): ShownConversation | undefined {
  return agentId === null ? view.lead : view.agents.get(agentId)?.conversation;
}

/** All known worktrees, each once: those listed by the surface, and those in which agents of this session work. */
export function worktreeList(view: View): Worktree[] {
  const found = new Map(view.worktrees.map((worktree) => [worktree.path, worktree]));
  for (const { id, worktree } of view.agents.values()) {
    if (!worktree) continue;
    const listed = found.get(worktree.path);
    const { path, branch } = worktree;
    found.set(path, { path, branch, diffstat: listed?.diffstat ?? null, agentId: id });
  }
  return [...found.values()];
}
