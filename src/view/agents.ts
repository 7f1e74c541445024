import type { Agent } from './agent.ts';
import { type AgentSummary, colourCount } from './agent-summary.ts';
import { emptyConversation, maxOfAgent } from './empty.ts';

export function unknownAgent(id: string, others: ReadonlyMap<string, Agent>, at: number): Agent {
  return {
    id,
    type: 'agent',
    name: null,
    description: '',
    colour: pickColour(others),
    state: 'running',
    outcome: null,
    reason: null,
    isBackgrounded: false,
    runs: 0,
    startedAt: at,
    endedAt: null,
    earlierMs: 0,
    toolUses: 0,
    tokens: 0,
    activity: '',
    runId: '',
    earlierTools: 0,
    parent: null,
    callId: null,
    earlierRuns: [],
    outputFile: '',
    todos: [],
    questions: [],
    worktree: null,
    conversation: emptyConversation(maxOfAgent),
  };
}

/** The colour used by the fewest running agents; of several, the first after the newest agent's. */
function pickColour(others: ReadonlyMap<string, Agent>): number {
  const taken = new Array<number>(colourCount).fill(0);
  for (const { state, colour } of others.values())
    if (isAtWork(state)) taken[colour] = (taken[colour] ?? 0) + 1;
  const least = Math.min(...taken);
  const start = others.size % colourCount;
  for (let step = 0; step < colourCount; step++) {
    const colour = (start + step) % colourCount;
    if (taken[colour] === least) return colour;
  }
  return start;
}

export function isAtWork(state: AgentSummary['state']): boolean {
  return state === 'running' || state === 'pending';
}

/** An agent's summary in the entry of the call that started it. */
export function summariseAgent(agent: Agent): AgentSummary {
  const { id, type, name, description, colour, state, outcome, reason, isBackgrounded } = agent;
  const { runs, startedAt, endedAt, isCutOff, earlierMs, toolUses, tokens, activity, claims } = agent;
  return {
    id,
    type,
    name,
    description,
    colour,
    state,
    outcome,
    reason,
    ...(claims ? { claims } : {}),
    isBackgrounded,
    runs,
    startedAt,
    endedAt,
    isCutOff,
    earlierMs,
    toolUses,
    tokens,
    activity,
  };
}
