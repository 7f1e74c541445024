import { countClaims } from '../../protocol/report-frame.ts';
import type { AgentProgress, TaskEnd, TaskView } from '../../protocol/task.ts';
import type { Agent } from '../agent.ts';
import { isAtWork, summariseAgent } from '../agents.ts';
import { cutLine } from '../bound.ts';
import type { Draft } from '../draft.ts';
import { emptyConversation, emptyLive, maxOfAgent } from '../empty.ts';
import { measureDuration } from '../rows.ts';
import type { Task } from '../task.ts';
import { loseCalls } from './call.ts';
import { dropQuestions } from './question.ts';

/** Finished ones that are still listed. */
const maxTasks = 200;
const maxAgents = 1_000;
/** Finished agents whose conversation is in memory. The others are read from their transcripts. */
const maxConversations = 50;
/** How many runs of one agent are remembered, the first ones: those were started by the call that represents it. */
const maxRuns = 20;

export function reduceTask(draft: Draft, task: TaskView, end: TaskEnd | undefined): void {
  if (!task.agent) {
    putTask(draft, task);
    return;
  }
  draft.putAgent(updateAgent(draft.agent(task.id), task, end));
  if (isAtWork(task.status)) return;
  loseCalls(draft, task.id, draft.at);
  draft.setLive(task.id, emptyLive);
  dropQuestions(draft, task.id);
  forgetAgents(draft);
}

/** An agent's progress. It comes often, so nothing else of the agent is looked at. */
export function reduceProgress(draft: Draft, task: TaskView): void {
  if (!task.agent) return;
  const before = draft.agent(task.id);
  draft.putAgent({ ...before, ...readProgress(task.agent.progress, before.earlierTools) });
}

function updateAgent(before: Agent, task: TaskView, end: TaskEnd | undefined): Agent {
  const { agent: facts } = task;
  if (!facts) return before;
  const isNewRun = before.runId !== task.runId;
  const outcome = isAtWork(task.status) ? null : (end?.outcome ?? before.outcome ?? asOutcome(task));
  return {
    ...before,
    ...(isNewRun ? startNewRun(before) : {}),
    ...readProgress(facts.progress, isNewRun ? before.toolUses : before.earlierTools),
    runId: task.runId,
    type: cutLine(facts.type),
    name: facts.name ?? null,
    description: cutLine(task.description),
    parent: task.owner,
    callId: task.toolUseId ?? null,
    state: task.status,
    outcome: isNewRun && isAtWork(task.status) ? null : outcome,
    reason: end?.reason ?? task.error ?? null,
    ...readClaims(end),
    isBackgrounded: task.isBackgrounded,
    suspended: task.suspended && { until: task.suspended.until, reason: cutLine(task.suspended.reason) },
    startedAt: Date.parse(task.startedAt),
    endedAt: parseTime(task.endedAt),
    outputFile: task.outputFile,
    worktree: end?.worktree ?? facts.worktree ?? before.worktree,
  };
}

function readClaims(end: TaskEnd | undefined): Pick<Agent, 'claims'> {
  const claims = end?.report?.claims ?? [];
  if (claims.length === 0) return end ? { claims: undefined } : {};
  const isGood = claims.every(({ verdict }) => verdict === 'confirmed');
  return { claims: { text: countClaims(claims), isGood } };
}

/** Earlier runs stay in the count. */
function startNewRun(before: Agent): Partial<Agent> {
  const { runs, toolUses, startedAt, endedAt, callId, parent } = before;
  const earlierMs = runs === 0 ? 0 : measureDuration(before, endedAt ?? startedAt);
  const over = runs === 0 ? [] : [{ callId, parent, summary: summariseAgent(before) }];
  const earlierRuns = [...before.earlierRuns, ...over].slice(0, maxRuns);
  return { runs: runs + 1, isCutOff: undefined, earlierMs, earlierTools: toolUses, earlierRuns };
}

function readProgress(progress: AgentProgress, earlierTools: number) {
  // Records of older versions lack the amount spent.
  const { toolUses, spentTokens = 0, activities } = progress;
  return {
    toolUses: earlierTools + toolUses,
    tokens: spentTokens,
    activity: activities.at(-1) ?? '',
  };
}

function asOutcome({ status }: TaskView): Agent['outcome'] {
  return status === 'completed' || status === 'failed' || status === 'killed' ? status : null;
}

function parseTime(timestamp: string | undefined): number | null {
  return timestamp === undefined ? null : Date.parse(timestamp);
}

function putTask(draft: Draft, task: TaskView): void {
  const { id, runId, kind, status: state, owner, isBackgrounded, outputFile } = task;
  const made: Task = {
    id,
    runId,
    kind,
    state,
    owner,
    isBackgrounded,
    outputFile,
    description: cutLine(task.description),
    startedAt: Date.parse(task.startedAt),
    endedAt: parseTime(task.endedAt),
    callId: task.toolUseId ?? null,
    error: task.error ?? null,
  };
  draft.putTask(made);
  if (isAtWork(state) || draft.view.tasks.size <= maxTasks) return;
  const [oldest] = [...draft.view.tasks.values()].filter((one) => !isAtWork(one.state));
  if (oldest) draft.dropTask(oldest.id);
}

/** The one that ended longest ago goes first: its conversation, and much later the agent itself. */
function forgetAgents(draft: Draft): void {
  const { agents } = draft.view;
  if (agents.size <= maxConversations) return;
  const ended = [...agents.values()]
    .filter(({ state }) => !isAtWork(state))
    .sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
  const held = ended.filter(({ conversation }) => conversation.entries.length > 0);
  for (const agent of held.slice(0, Math.max(0, held.length - maxConversations)))
    draft.putAgent({ ...agent, conversation: emptied(agent) });
  for (const { id } of ended.slice(0, Math.max(0, agents.size - maxAgents))) draft.dropAgent(id);
}

function emptied({ conversation: { entries, left, serial, streamed } }: Agent): Agent['conversation'] {
  return { ...emptyConversation(maxOfAgent), left: left + entries.length, serial, streamed };
}
