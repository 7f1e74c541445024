import type { Roster } from '../agents/roster.ts';
import type { AgentLog, AgentServices } from '../agents/services.ts';
import { Slots } from '../agents/slots.ts';
import { timestamp } from '../lib/clock.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import type { AgentEvent, HeaderRecord, MessageRecord, TranscriptRecord } from '../protocol/index.ts';
import { transcriptFormat } from '../protocol/index.ts';
import {
  agentFrom,
  loadAgentTranscript,
  loadUpTo,
  memoryTranscript,
  openAgentTranscript,
  type StoredAgent,
} from '../store/agent-transcript.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { Lead } from './lead.ts';
import type { SessionMcp } from './session-mcp.ts';
import type { Settled } from './settled.ts';

export interface AgentWiring {
  tasks: Tasks;
  roster: Roster;
  lead: Lead;
  mcp: SessionMcp;
  publish(event: AgentEvent): void;
}

/** The session as agents see it. */
export function createAgentServices(settled: Settled, wiring: AgentWiring): AgentServices {
  const { identity, options, around, models, permissions, agents } = settled;
  const { tasks, roster, lead, mcp, publish } = wiring;
  for (const { task } of settled.restored?.agents ?? [])
    if (task.agent?.name) roster.name(task.agent.name, task.id);
  const logs = agentLogs(settled);
  const noticed = new Set<string>();
  return {
    sessionId: identity.id,
    clock: around.clock,
    ids: around.ids,
    settings: agents.settings,
    definitions: agents.definitions,
    roster,
    tasks,
    slots: new Slots(agents.settings.maxConcurrent),
    tools: () => [...settled.allTools, ...mcp.tools()],
    openServers: (definition) => mcp.openServers(definition),
    model: (name, parent, account) => models.forAgent(name, parent, account),
    account: (parent, agentId, caps) => parent.child(agentId, caps),
    renderSystem: (definition, model, cwd) => agents.renderSystem(definition, model, cwd),
    openLog: logs.open,
    loadAgent: logs.load,
    rules: () => permissions.context().rules,
    bypassAllowed: permissions.bypassAllowed,
    ask: (question, signal) => lead.ask(question, signal),
    editLeave: new Map(),
    fanOuts: new Map(),
    costSoFar: () => costSoFar(lead),
    isInteractive: options.interactive === true,
    publish,
    said: new Set(),
    streamsChildren: options.streamAgents === true,
    notice(text) {
      if (noticed.has(text)) return;
      noticed.add(text);
      publish({ agentId: null, parentToolUseId: null, type: 'notice_given', level: 'warning', text });
    },
  };
}

function costSoFar(lead: Lead) {
  const rows = lead.cost().rows.filter((row) => row.agentId !== null);
  const agents = new Set(rows.map((row) => row.agentId)).size;
  const microUsd = rows.reduce((sum, row) => sum + (row.microUsd ?? 0), 0);
  return { agents, usd: microUsd / 1_000_000 };
}

function agentLogs({ identity, options, around }: Settled) {
  const { clock, ids } = around;
  const inMemory = new Map<string, TranscriptRecord[]>();
  const headerFor = (agentId: string): HeaderRecord => ({
    type: 'cadre-transcript',
    format: transcriptFormat,
    sessionId: identity.id,
    agentId,
    cwd: around.cwd,
    version,
    createdAt: timestamp(clock),
  });
  const open = (agentId: string): AgentLog => {
    if (options.persist !== false)
      return openAgentTranscript(identity.files.agentTranscript(agentId), () => headerFor(agentId));
    const kept = inMemory.get(agentId) ?? [];
    inMemory.set(agentId, kept);
    return memoryTranscript(kept);
  };
  const loadOwn = async (agentId: string): Promise<Result<StoredAgent>> => {
    if (options.persist !== false)
      return loadAgentTranscript(identity.files.agentTranscript(agentId), clock, ids);
    const records = inMemory.get(agentId)?.filter((record) => record.type !== 'cadre-transcript');
    return records ? agentFrom(agentId, records, clock, ids) : usage(`There is no agent ${agentId}.`);
  };
  const load = async (agentId: string): Promise<Result<StoredAgent>> => {
    const loaded = await loadOwn(agentId);
    if (!loaded.ok || !loaded.value.state.inherits) return loaded;
    const inherited = await loadInherited(loaded.value.state.inherits);
    if (!inherited.ok) return inherited;
    return ok({ ...loaded.value, messages: [...inherited.value, ...loaded.value.messages] });
  };
  const loadInherited = (from: {
    agentId: string | null;
    messageUuid: string;
  }): Promise<Result<MessageRecord[]>> => {
    const path =
      from.agentId === null ? identity.files.transcript : identity.files.agentTranscript(from.agentId);
    return loadUpTo(path, from.messageUuid, clock, ids);
  };
  return { open, load };
}
