import { copyFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentLog } from '../agents/agent-log.ts';
import type { AgentDefinition } from '../agents/definition.ts';
import type { Roster } from '../agents/roster.ts';
import type { AgentServices } from '../agents/services.ts';
import { Slots } from '../agents/slots.ts';
import type { SkillHands } from '../knowledge/expand-skill.ts';
import { ensurePrivateDirectory } from '../lib/atomic.ts';
import { timestamp } from '../lib/clock.ts';
import { remind } from '../lib/harness-tags.ts';
import { type Result, usage } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import { planInstructions } from '../modes/plan-mode.ts';
import type { AgentEvent, HeaderRecord, Judge, ShellSandbox } from '../protocol/index.ts';
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
import type { Tasks } from '../tasks/tasks.ts';
import { gitStatusOf } from './git-status.ts';
import type { Lead } from './lead.ts';
import type { SessionLeases } from './leases.ts';
import { memoryOf } from './memory-of.ts';
import type { SessionQuestions } from './questions.ts';
import { skillsSection } from './render-system.ts';
import type { SessionMcp } from './session-mcp.ts';
import type { Settled } from './settled.ts';
import { lateLetter } from './task-registry.ts';
import { createWorktrees } from './worktrees.ts';

export interface AgentWiring {
  tasks: Tasks;
  roster: Roster;
  lead: Lead;
  mcp: SessionMcp;
  hooksFor: AgentServices['hooksFor'];
  questions: SessionQuestions;
  judge: Judge;
  sandbox: ShellSandbox | undefined;
  leases: SessionLeases;
  publish(event: AgentEvent): void;
}

/** The session as agents see it. */
export function createAgentServices(settled: Settled, wiring: AgentWiring): AgentServices {
  const { identity, options, around, models, permissions, agents } = settled;
  const { tasks, roster, lead, mcp, questions, publish } = wiring;
  const seen = new Set<string>();
  for (const { task } of settled.restored?.agents ?? []) {
    if (task.agent?.name && !seen.has(task.id)) roster.name(task.agent.name, task.id);
    seen.add(task.id);
  }
  const logs = agentLogs(settled, roster);
  const noticed = new Set<string>();
  const say = (level: 'debug' | 'warning', text: string) => {
    if (noticed.has(text)) return;
    noticed.add(text);
    publish({ agentId: null, parentToolUseId: null, type: 'notice_given', level, text });
  };
  const planFile = (agentId: string) => join(dirname(permissions.planFile), `plan-${agentId}.md`);
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
    renderSystem(definition, model, cwd) {
      const { missing = [] } = settled.preloaded.get(definition.name) ?? {};
      if (missing.length > 0)
        say('debug', `${definition.name}: no such skill to begin with: ${missing.join(', ')}.`);
      return agents.renderSystem(definition, model, cwd);
    },
    runPreloaded: (definition, hands) => runPreloaded(settled, definition, hands),
    gitStatus: gitStatusOf(around, settled.reel, (text) => say('debug', text)),
    memoryOf: (definition) => memoryOf(definition, around),
    scopes: settled.skills.scopes,
    openLog: logs.open,
    loadAgent: logs.load,
    lateLetter: (record) => lateLetter(record, agents.settings),
    rules: (agentId) => permissions.rulesFor(agentId),
    forgetGrants: (agentId) => permissions.grants.forget(agentId),
    bypassAllowed: permissions.bypassAllowed,
    ask: (question, signal, again) => questions.ask(question, signal, again),
    propose: proposer(questions, publish),
    planInstructions: (agentId) => remind(planInstructions(planFile(agentId))),
    isAsking: (agentId) => questions.isAsking(agentId),
    noteDenial: (denial) => questions.noteDenial(denial),
    noteSkip: (skip) => questions.noteSkip(skip),
    ...(permissions.hasJudge ? { judge: wiring.judge } : {}),
    ...(agents.settings.handoffCheck === 'model' ? { judgeHandoff: namedHandoffJudge(settled) } : {}),
    approvedPlans: new Set(),
    planRequests: new Map(),
    planFile,
    editLeave: new Map(),
    fanOuts: new Map(),
    costSoFar: () => costSoFar(lead),
    isInteractive: options.interactive === true,
    worktrees: createWorktrees(settled, wiring.sandbox),
    ...(wiring.hooksFor ? { hooksFor: wiring.hooksFor } : {}),
    leases: wiring.leases.leases,
    fileLeases: (agentId) => wiring.leases.forAgent(agentId),
    publish,
    said: new Set(),
    streamsChildren: options.streamAgents === true,
    notice: (text) => say('warning', text),
  };
}

async function runPreloaded(
  { preloaded, skills, around }: Settled,
  { name }: AgentDefinition,
  hands: (userHome: string) => SkillHands,
): Promise<[string, string] | undefined> {
  const preload = preloaded.get(name);
  if (!preload || preload.runnable.size === 0) return undefined;
  const { runPreloaded: run } = await import('../knowledge/preload-skills.ts');
  const filled = await run(preload, skills.world, hands(around.userHome));
  return [skillsSection(preload.sections, around), skillsSection(filled, around)];
}

function proposer(
  questions: SessionQuestions,
  publish: (event: AgentEvent) => void,
): AgentServices['propose'] {
  return async (question, signal) => {
    const { agentId, id: questionId } = question;
    publish({ agentId, parentToolUseId: null, type: 'question_asked', question });
    const answer = await questions.ask(question, signal);
    const { behaviour } = answer;
    publish({ agentId, parentToolUseId: null, type: 'question_answered', questionId, behaviour });
    return answer;
  };
}

/** The model that judges calls, else a small one, else the session's own; loaded when it is first asked. */
function namedHandoffJudge({ settings, models, around, identity }: Settled) {
  const model = () => {
    const small = models.resolve(settings.autoMode.model ?? 'haiku');
    return small.ok ? small : models.resolve(null);
  };
  return async (text: string) => {
    const { handoffJudge } = await import('../agents/judge-handoff.ts');
    return handoffJudge({ model, clock: around.clock, sessionId: identity.id })(text);
  };
}

function costSoFar(lead: Lead) {
  const rows = lead.cost().rows.filter((row) => row.agentId !== null);
  const agents = new Set(rows.map((row) => row.agentId)).size;
  const microUsd = rows.reduce((sum, row) => sum + (row.microUsd ?? 0), 0);
  return { agents, usd: microUsd / 1_000_000 };
}

function agentLogs({ identity, options, around, restored }: Settled, roster: Roster) {
  const { clock, ids } = around;
  const isKept = options.persist !== false;
  const inMemory = new Map<string, AgentRecords>();
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
