import { copyFileSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentLog } from '../../agents/agent-log.ts';
import { agentTool } from '../../agents/agent-tool.ts';
import type { AgentDefinition } from '../../agents/definition.ts';
import type { AgentKernel } from '../../agents/kernel.ts';
import { PlanRequests } from '../../agents/plan-requests.ts';
import { sendMessageTool } from '../../agents/send-message.ts';
import { Slots } from '../../agents/slots.ts';
import type { CostSoFar } from '../../agents/steps/cost.ts';
import { costStep } from '../../agents/steps/cost.ts';
import { placeStep } from '../../agents/steps/place.ts';
import { serverStep } from '../../agents/steps/servers.ts';
import { toolStep } from '../../agents/steps/tools.ts';
import { typeStep } from '../../agents/steps/type.ts';
import type { AgentWorktrees } from '../../agents/worktrees.ts';
import type { SkillScopes } from '../../knowledge/skill-scope.ts';
import { timestamp } from '../../lib/clock.ts';
import { ensurePrivateDirectory } from '../../lib/files/atomic.ts';
import { type Result, usage } from '../../lib/result.ts';
import { version } from '../../lib/version.ts';
import type { HeaderRecord, ShellSandbox, Tool } from '../../protocol/index.ts';
import { transcriptFormat } from '../../protocol/index.ts';
import { memoryTranscript, openAgentTranscript } from '../../store/agent-transcript.ts';
import { nameAgentFile } from '../../store/anchors/record-chain.ts';
import { createSessionLayout } from '../../store/layout.ts';
import type { Elsewhere, StoredAgent } from '../../store/stored-agent.ts';
import type { CoordinatorChoice } from '../coordinator.ts';
import type { Kernel } from '../kernel.ts';
import { findMemory } from '../knowledge/knowledge.ts';
import type { LeadHands } from '../lead/hands.ts';
import type { ToolPool } from '../lead/tool-pool.ts';
import type { SessionLeases } from '../leases.ts';
import { lostLetter } from '../lost-letter.ts';
import type { SessionMcp } from '../mcp/session-mcp.ts';
import type { Models } from '../models.ts';
import type { Features, SessionFeature } from '../opening.ts';
import { mayPlan } from '../options.ts';
import type { LeadPermissions, SessionPermissions } from '../permissions.ts';
import type { SessionJudges } from '../questions/judge.ts';
import { readRemoteSettings } from '../remote-agents/feature.ts';
import { lateLetter } from '../tasks.ts';
import { createWorktrees } from '../worktrees/worktrees.ts';
import type { AgentDefinitions } from './definitions.ts';

export interface AgentParts {
  hands: LeadHands;
  definitions: AgentDefinitions;
  models: Models;
  permissions: LeadPermissions;
  plansAlone: SessionPermissions['plansAlone'];
  judges: SessionJudges;
  scopes: SkillScopes;
  mcp: SessionMcp;
  leases: SessionLeases;
  sandbox: ShellSandbox | undefined;
  pool: ToolPool;
  features: Features;
}

export interface AgentsPort {
  agents: AgentKernel;
  plans: PlanRequests;
}

/** The agents that the lead starts, and how it messages them. */
export function agentFeature(
  parts: AgentParts,
  { on: coordinates }: CoordinatorChoice,
): SessionFeature<AgentsPort & { worktrees: AgentWorktrees }> {
  return {
    name: 'agents',
    open(kernel) {
      const opened = openAgents(kernel, parts);
      const plans = new PlanRequests(opened);
      nameEarlier(kernel);
      const { leases, mcp, models, plansAlone } = parts;
      const toolNeeds = {
        plansAlone,
        approvesPlans: coordinates || mayPlan(kernel.options, kernel.settings),
        findMemory: (definition: AgentDefinition) => findMemory(definition, kernel.place),
      };
      const worktrees = createWorktrees(kernel, parts.permissions, parts.sandbox, () =>
        parts.hands.hands.shell.environment(),
      );
      return {
        ...{ agents: opened, plans, worktrees },
        agentSteps: [
          typeStep,
          costStep(() => countCost(models)),
          toolStep(toolNeeds),
          placeStep({
            worktrees,
            openLeases: (agentId) => leases.forAgent(agentId),
          }),
          serverStep({ ...toolNeeds, openServers: (definition) => mcp.openServers(definition) }),
        ],
        drivingTools: describeAgentTools(
          {
            ...parts.definitions,
            coordinates,
            rules: parts.permissions.startRules,
            spawnable: parts.definitions.main?.spawnable,
            canRunAt: (name) => opened.placements.has(name),
          },
          () => opened,
          () => plans,
        ),
      };
    },
  };
}

export function describeAgentTools(
  choices: Parameters<typeof agentTool>[0],
  opened: () => AgentKernel,
  plans: () => PlanRequests,
): Tool[] {
  return [agentTool(choices, opened) as Tool, sendMessageTool(opened, plans) as Tool];
}

function openAgents(kernel: Kernel, parts: AgentParts): AgentKernel {
  const { id, options, place, tasks, roster, questions, events } = kernel;
  const { permissions, mcp, judges, features, pool } = parts;
  const { definitions, settings } = parts.definitions;
  const isStreamed = options.streamAgents === true;
  const { open, load } = agentLogs(kernel);
  return {
    sessionId: id,
    clock: place.clock,
    ids: place.ids,
    ...{ settings, definitions, roster, tasks },
    slots: new Slots(settings.maxConcurrent),
    scopes: parts.scopes,
    leases: parts.leases.leases,
    questions: {
      ask: (question, signal, again) => questions.ask(question, signal, again),
      propose: (question, signal) => questions.proposeCall(question, signal),
      isAttended: () => questions.approvals.attended,
      isAsking: (agentId) => questions.isAsking(agentId),
      noteDenial: (denial) => questions.noteDenial(denial),
      noteSkip: (skip) => questions.noteSkip(skip),
      judge: permissions.hasJudge ? judges.judge : undefined,
    },
    records: {
      ...{ open, load, lostLetter, lateLetter: (record) => lateLetter(record, settings) },
      judgeAgain: async (agentId, report) =>
        (await import('../receipts.ts')).judgeReportAgain(kernel, agentId, report),
    },
    get steps() {
      return features.agentSteps();
    },
    usualPlace: readRemoteSettings(kernel).agents ? 'remote' : undefined,
    get placements() {
      return features.placements();
    },
    get teams() {
      return features.teams();
    },
    tools() {
      const all = pool.forAgents();
      return [...(all.ok ? all.value : []), ...mcp.tools()];
    },
    publish(event) {
      // Streamed pieces of a child's answers go only to callers that asked for them.
      if (event.type !== 'model_streamed' || isStreamed) events.publish(event);
    },
    notice: (text) => events.warnOnce(text),
    judgeHandoff: settings.handoffCheck === 'model' ? judges.judgeHandoff : undefined,
  };
}

/** Agents of a resumed session keep their names; the newest agent wins a name. */
function nameEarlier({ restored, roster }: Kernel): void {
  const seen = new Set<string>();
  for (const { task } of restored?.agents ?? []) {
    if (task.agent?.name && !seen.has(task.id)) roster.name(task.agent.name, task.id);
    seen.add(task.id);
  }
}

function countCost({ account }: Models): CostSoFar {
  const rows = account.report().rows.filter((row) => row.agentId !== null);
  const agents = new Set(rows.map((row) => row.agentId)).size;
  const microUsd = rows.reduce((sum, row) => sum + (row.microUsd ?? 0), 0);
  return { agents, usd: microUsd / 1_000_000 };
}

function agentLogs({ identity, options, place, restored, roster, claim, events, log }: Kernel) {
  const { clock, ids } = place;
  const isKept = options.persist !== false;
  const inMemory = new Map<string, AgentRecords>();
  const buildHeader = (agentId: string): HeaderRecord => ({
    type: 'cadre-transcript',
    format: transcriptFormat,
    sessionId: identity.id,
    agentId,
    cwd: place.cwd,
    version,
    createdAt: timestamp(clock),
  });
  const open = (agentId: string): AgentLog => {
    if (isKept) {
      const own = openAgentTranscript(
        identity.files.agentTranscript(agentId),
        () => buildHeader(agentId),
        claim,
        log.openChain(nameAgentFile(agentId)),
      );
      // The ends of its own agents are in the lead's.
      return { ...own, synced: async () => void (await Promise.all([own.synced(), log.synced()])) };
    }
    const kept = inMemory.get(agentId) ?? [];
    inMemory.set(agentId, kept);
    return memoryTranscript(kept);
  };
  const load = async (agentId: string): Promise<Result<StoredAgent>> => {
    // The lead was notified of this process's own tasks, or has them in its transcript.
    const tasks = restored?.tasks.filter(({ task }) => task.owner === agentId) ?? [];
    const elsewhere = { tasks, inherit };
    const { agentFrom, loadAgentTranscript } = await import('../../store/stored-agent.ts');
    if (isKept) {
      const path = identity.files.agentTranscript(agentId);
      if (!existsSync(path) && restored && !identity.goesOn)
        bringAlong(
          createSessionLayout(dirname(restored.path), restored.sessionId).agentTranscript(agentId),
          path,
        );
      if (!existsSync(path))
        return usage(`Cannot resume agent ${agentId}: its transcript ${path} is missing. Start a new agent.`);
      const loaded = await loadAgentTranscript(path, agentId, elsewhere, clock, ids);
      const { describeFile } = await import('../restore-notices.ts');
      for (const text of loaded.ok ? describeFile(loaded.value) : []) events.warnOnce(text);
      return loaded;
    }
    const records = inMemory.get(agentId);
    return records
      ? agentFrom(agentId, records, elsewhere, clock, ids)
      : usage(`No agent has the id ${agentId}.`);
  };
  const inherit: Elsewhere['inherit'] = async ({ agentId, messageUuid }) => {
    const { files } = identity;
    const path = agentId === null ? files.transcript : files.agentTranscript(agentId);
    const { loadUpTo, upTo } = await import('../../store/stored-agent.ts');
    if (isKept) return loadUpTo(path, messageUuid, clock, ids);
    const living = roster.find(agentId)?.context.conversation.records;
    return upTo('The conversation', living ?? [], messageUuid, clock, ids);
  };
  return { open, load };
}

/** A forked session continues the agents of the session it came from, each with its own copy of the transcript. */
function bringAlong(from: string, to: string): void {
  if (statSync(from, { throwIfNoEntry: false })?.isFile() !== true || !ensurePrivateDirectory(dirname(to)).ok)
    return;
  try {
    copyFileSync(from, to);
  } catch {
    // The transcript is missing then; the code that looks for it reports that.
  }
}

type AgentRecords = Parameters<typeof memoryTranscript>[0];
