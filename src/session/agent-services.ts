import { copyFileSync, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentLog } from '../agents/agent-log.ts';
import { agentTool } from '../agents/agent-tool.ts';
import type { AgentDefinition } from '../agents/definition.ts';
import { sendMessageTool } from '../agents/send-message.ts';
import type { AgentServices } from '../agents/services.ts';
import { Slots } from '../agents/slots.ts';
import type { SkillHands } from '../knowledge/expand-skill.ts';
import { ensurePrivateDirectory } from '../lib/atomic.ts';
import { timestamp } from '../lib/clock.ts';
import { remind } from '../lib/harness-tags.ts';
import { type Result, usage } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import { planInstructions } from '../modes/plan-mode.ts';
import type { HeaderRecord, ShellSandbox, Tool } from '../protocol/index.ts';
import { transcriptFormat } from '../protocol/index.ts';
import {
  agentFrom,
  type Elsewhere,
  loadAgentTranscript,
  loadUpTo,
  memoryTranscript,
  openAgentTranscript,
  type StoredAgent,
  upTo,
} from '../store/agent-transcript.ts';
import { sessionLayoutIn } from '../store/layout.ts';
import type { AgentDefinitions } from './agent-definitions.ts';
import type { Models } from './choose-model.ts';
import { gitStatusOf } from './git-status.ts';
import type { SessionJudges } from './judge.ts';
import type { Kernel } from './kernel.ts';
import type { SessionLeases } from './leases.ts';
import { memoryOf } from './memory-of.ts';
import type { SessionFeature } from './opening.ts';
import { type Knowledge, skillsSection } from './render-system.ts';
import type { SessionMcp } from './session-mcp.ts';
import type { CoordinatorChoice } from './settle-coordinator.ts';
import type { OpenHooks } from './settle-hooks.ts';
import type { LeadPermissions } from './settle-permissions.ts';
import type { SessionSkills } from './settle-skills.ts';
import { lateLetter } from './task-registry.ts';
import type { ToolPool } from './tool-pool.ts';
import { createWorktrees } from './worktrees.ts';

export interface AgentParts {
  definitions: AgentDefinitions;
  models: Models;
  permissions: LeadPermissions;
  judges: SessionJudges;
  skills: SessionSkills;
  knowledge: Knowledge;
  hooks: OpenHooks;
  mcp: SessionMcp;
  leases: SessionLeases;
  sandbox: ShellSandbox | undefined;
  pool: ToolPool;
}

export interface AgentsPort {
  agents: AgentServices;
}

/** The agents that the lead starts, and how it writes to them. */
export function agents(
  parts: AgentParts,
  { on: coordinates }: CoordinatorChoice,
): SessionFeature<AgentsPort> {
  return {
    name: 'agents',
    open(kernel) {
      const services = createAgentServices(kernel, parts);
      return {
        agents: services,
        drivingTools: [
          agentTool({ ...services, coordinates }, () => services) as Tool,
          sendMessageTool(() => services) as Tool,
        ],
      };
    },
  };
}

function createAgentServices(kernel: Kernel, parts: AgentParts): AgentServices {
  const { id, options, place, tasks, roster, questions, events, restored } = kernel;
  const { models, permissions, mcp, skills, knowledge, judges } = parts;
  const { definitions, settings } = parts.definitions;
  const seen = new Set<string>();
  for (const { task } of restored?.agents ?? []) {
    if (task.agent?.name && !seen.has(task.id)) roster.name(task.agent.name, task.id);
    seen.add(task.id);
  }
  const logs = agentLogs(kernel);
  const { forAgent: hooksFor } = parts.hooks;
  return {
    sessionId: id,
    clock: place.clock,
    ids: place.ids,
    settings,
    definitions,
    roster,
    tasks,
    slots: new Slots(settings.maxConcurrent),
    tools() {
      const all = parts.pool.forAgents();
      return [...(all.ok ? all.value : []), ...mcp.tools()];
    },
    openServers: (definition) => mcp.openServers(definition),
    model: (name, parent, account) => models.forAgent(name, parent, account),
    account: (parent, agentId, caps) => parent.child(agentId, caps),
    renderSystem(definition, model, cwd) {
      const { missing = [] } = skills.preloaded.get(definition.name) ?? {};
      if (missing.length > 0)
        events.noticeOnce('debug', `${definition.name}: no such skill to begin with: ${missing.join(', ')}.`);
      return knowledge.renderAgent(definition, model, cwd);
    },
    runPreloaded: (definition, hands) => runPreloaded(kernel, skills, definition, hands),
    gitStatus: gitStatusOf(place, kernel.tape, (text) => events.noticeOnce('debug', text)),
    memoryOf: (definition) => memoryOf(definition, place),
    scopes: skills.scopes,
    openLog: logs.open,
    loadAgent: logs.load,
    lateLetter: (record) => lateLetter(record, settings),
    rules: (agentId) => permissions.rulesFor(agentId),
    forgetGrants: (agentId) => permissions.grants.forget(agentId),
    bypassAllowed: permissions.bypassAllowed,
    ask: (question, signal, again) => questions.ask(question, signal, again),
    propose: (question, signal) => questions.propose(question, signal),
    planInstructions: (agentId) => remind(planInstructions(permissions.planFileFor(agentId))),
    isAsking: (agentId) => questions.isAsking(agentId),
    noteDenial: (denial) => questions.noteDenial(denial),
    noteSkip: (skip) => questions.noteSkip(skip),
    ...(permissions.hasJudge ? { judge: judges.judge } : {}),
    ...(settings.handoffCheck === 'model' ? { judgeHandoff: judges.judgeHandoff } : {}),
    approvedPlans: permissions.approvedPlans,
    planRequests: new Map(),
    planFile: (agentId) => permissions.planFileFor(agentId),
    editLeave: new Map(),
    fanOuts: new Map(),
    costSoFar: () => costSoFar(models),
    isInteractive: options.interactive === true,
    worktrees: createWorktrees(kernel, parts.sandbox),
    ...(hooksFor ? { hooksFor } : {}),
    leases: parts.leases.leases,
    fileLeases: (agentId) => parts.leases.forAgent(agentId),
    publish: (event) => events.publish(event),
    said: new Set(),
    streamsChildren: options.streamAgents === true,
    notice: (text) => events.warnOnce(text),
  };
}

async function runPreloaded(
  { place }: Kernel,
  { preloaded, world }: SessionSkills,
  { name }: AgentDefinition,
  hands: (userHome: string) => SkillHands,
): Promise<[string, string] | undefined> {
  const preload = preloaded.get(name);
  if (!preload || preload.runnable.size === 0) return undefined;
  const { runPreloaded: run } = await import('../knowledge/preload-skills.ts');
  const filled = await run(preload, world, hands(place.userHome));
  return [skillsSection(preload.sections, place), skillsSection(filled, place)];
}

function costSoFar({ account }: Models) {
  const rows = account.report().rows.filter((row) => row.agentId !== null);
  const agents = new Set(rows.map((row) => row.agentId)).size;
  const microUsd = rows.reduce((sum, row) => sum + (row.microUsd ?? 0), 0);
  return { agents, usd: microUsd / 1_000_000 };
}

function agentLogs({ identity, options, place, restored, roster }: Kernel) {
  const { clock, ids } = place;
  const isKept = options.persist !== false;
  const inMemory = new Map<string, AgentRecords>();
  const headerFor = (agentId: string): HeaderRecord => ({
    type: 'cadre-transcript',
    format: transcriptFormat,
    sessionId: identity.id,
    agentId,
    cwd: place.cwd,
    version,
    createdAt: timestamp(clock),
  });
  const open = (agentId: string): AgentLog => {
    if (isKept) return openAgentTranscript(identity.files.agentTranscript(agentId), () => headerFor(agentId));
    const kept = inMemory.get(agentId) ?? [];
    inMemory.set(agentId, kept);
    return memoryTranscript(kept);
  };
  const load = async (agentId: string): Promise<Result<StoredAgent>> => {
    // Of this process's own tasks it was told, or has it in its transcript.
    const tasks = restored?.agents.filter(({ task }) => task.owner === agentId) ?? [];
    const elsewhere = { tasks, inherit };
    if (isKept) {
      const path = identity.files.agentTranscript(agentId);
      if (!existsSync(path) && restored && !identity.goesOn)
        bringAlong(
          sessionLayoutIn(dirname(restored.path), restored.sessionId).agentTranscript(agentId),
          path,
        );
      return existsSync(path)
        ? loadAgentTranscript(path, elsewhere, clock, ids)
        : usage(`Nothing is left of the agent ${agentId}: there is no ${path}. Start a new one.`);
    }
    const records = inMemory.get(agentId);
    return records
      ? agentFrom(agentId, records, elsewhere, clock, ids)
      : usage(`There is no agent ${agentId}.`);
  };
  const inherit: Elsewhere['inherit'] = async ({ agentId, messageUuid }) => {
    const { files } = identity;
    const path = agentId === null ? files.transcript : files.agentTranscript(agentId);
    if (isKept) return loadUpTo(path, messageUuid, clock, ids);
    const living = roster.find(agentId)?.context.conversation.records;
    return upTo('The conversation', living ?? [], messageUuid, clock, ids);
  };
  return { open, load };
}

/** A session that was forked from another goes on with that one's agents, each in a transcript of its own. */
function bringAlong(from: string, to: string): void {
  if (!existsSync(from) || !ensurePrivateDirectory(dirname(to)).ok) return;
  try {
    copyFileSync(from, to);
  } catch {
    // Then it is not there, which is said where it is looked for.
  }
}

type AgentRecords = Parameters<typeof memoryTranscript>[0];
