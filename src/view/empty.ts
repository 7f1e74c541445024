import { noUsage } from '../protocol/message.ts';
import type { Live, ShownConversation } from './entry.ts';
import { noTeam } from './team.ts';
import type { SessionFacts, View } from './view.ts';

/**
 * How many finished entries are held, for the lead and for each agent. Transcripts have all of them, and viewing an agent
 * reads its own; hundreds of agents must cost little while they are not viewed.
 */
export const maxOfLead = 2_000;
export const maxOfAgent = 12;

export const emptyLive: Live = { turn: 0, blocks: [], calls: [], wait: null, hooks: [] };

export function emptyConversation(most: number): ShownConversation {
  return { entries: [], left: 0, live: emptyLive, most, serial: 0, streamed: 0, before: null };
}

export function emptyView(session: Partial<SessionFacts> = {}): View {
  return {
    session: { ...noSession, ...session },
    lead: emptyConversation(maxOfLead),
    agents: new Map(),
    tasks: new Map(),
    questions: [],
    cost: { microUsd: 0, usage: noUsage, requests: 0, estimated: 0, byAgent: new Map() },
    notices: [],
    leases: [],
    worktrees: [],
    team: noTeam,
    workflows: new Map(),
    queued: [],
    at: 0,
    serial: 0,
  };
}

const noSession: SessionFacts = {
  id: '',
  cwd: '',
  branch: null,
  model: '',
  mode: 'default',
  state: 'idle',
  coordinator: false,
  scratchpad: null,
  title: null,
  todos: [],
  context: { used: 0, window: null },
  runStartedAt: null,
  request: null,
};
