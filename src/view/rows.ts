import type { Agent, AgentNode } from './agent.ts';
import type { AgentSummary } from './agent-summary.ts';
import { isAtWork } from './agents.ts';
import type { ShownConversation, Entry } from './entry.ts';
import { formatDuration, formatTokens, formatTools } from './format.ts';
import type { View, Worktree } from './view.ts';

/** The agents that a call has started, in the order in which they were. `parent` is whose call it is. */
export function agentRows(view: View, callId: string, parent: string | null = null): Agent[] {
  return [...view.agents.values()].filter((agent) => agent.callId === callId && agent.parent === parent);
}

/** Whose parent is not known any more stands at the top. */
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

/** How long it has been at work, in all its runs. */
export function measureDuration({ startedAt, endedAt, earlierMs }: AgentSummary, now: number): number {
  return earlierMs + Math.max(0, (endedAt ?? now) - startedAt);
}

/** `12 tools · 12.3k tokens · 1m 04s`; of one that was gone on with in all, and that says `2 runs` before it. */
export function formatCounts(agent: AgentSummary, now: number): string {
  const { runs, toolUses, tokens } = agent;
  const parts = [formatTools(toolUses), formatTokens(tokens), formatDuration(measureDuration(agent, now))];
  return [...(runs > 1 ? [`${runs} runs`] : []), ...parts].join(' · ');
}

/** What an agent that has ended is closed with: `completed · ` and its counts. Of others only where they stand. */
export function formatSummary(agent: AgentSummary, now = agent.endedAt ?? agent.startedAt): string {
  if (isAtWork(agent.state)) return formatState(agent);
  return `${formatState(agent)} · ${formatCounts(agent, now)}`;
}

/** One word or two for where an agent stands. */
export function formatState({ state, outcome, isBackgrounded }: AgentSummary): string {
  if (state === 'pending') return 'waiting for its turn';
  if (state === 'running') return isBackgrounded ? 'in the background' : 'at work';
  return words[outcome ?? state] ?? state;
}

const words: Readonly<Record<string, string>> = {
  completed: 'completed',
  truncated: 'cut off',
  out_of_turns: 'out of turns',
  out_of_budget: 'out of budget',
  timed_out: 'timed out',
  interrupted: 'interrupted',
  failed: 'failed',
  killed: 'stopped',
};

export function agentsAtWork(view: View): Agent[] {
  return [...view.agents.values()].filter(({ state }) => isAtWork(state));
}

/** Null is the lead; undefined where there is no such agent. */
export function findConversation(view: View, agentId: string | null): ShownConversation | undefined {
  return agentId === null ? view.lead : view.agents.get(agentId)?.conversation;
}

/** Without what somebody went back behind. For surfaces that can take back what they have shown. */
export function entriesInForce({ entries }: ShownConversation): readonly Entry[] {
  let shown: Entry[] = [];
  for (const entry of entries) {
    if (entry.kind === 'rewind' && entry.isConversation) {
      const at = shown.findIndex((one) => one.kind === 'prompt' && one.uuid === entry.to);
      // Where the prompt is no longer held, all that is was said after it.
      shown = shown.slice(0, Math.max(0, at));
    }
    shown.push(entry);
  }
  return shown;
}

/** Those that are known of, each once: what the surface listed, and where agents of this session work. */
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
