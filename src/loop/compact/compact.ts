import { timestamp } from '../../lib/clock.ts';
import {
  type AgentEvent,
  type CompactBoundaryRecord,
  type CompactionTrigger,
  type MessageRecord,
  type ModelFailure,
  noUsage,
  type Usage,
  type UserRecord,
} from '../../protocol/index.ts';
import { recordBase } from '../add-message.ts';
import { addNotes } from '../add-notes.ts';
import { type AgentContext, markEvent } from '../agent-context.ts';
import { fixedTokens, measureWindow, nextRequestTokens } from '../context-room.ts';
import { describeHookPlace } from '../hook-place.ts';
import { estimateTokens } from '../tokens.ts';
import { type CompactBudget, measureBudget } from './budget.ts';
import { boundTokens, renderExcerpts } from './excerpts.ts';
import { renderOpening } from './message.ts';
import { type CompactPlan, planCompaction } from './plan.ts';
import { carryState, renderState } from './state.ts';
import { summarise } from './summarise.ts';

export type Compaction = { usage: Usage } & (
  | { kind: 'done'; preTokens: number; postTokens: number }
  /** There is nothing left to compact. */
  | { kind: 'nothing' }
  /** A hook keeps the conversation as it is. */
  | { kind: 'held'; reason: string }
  /** The conversation is as it was. */
  | { kind: 'failed'; failure: ModelFailure }
);

/**
 * Replaces the conversation by a summary, the harness's own state, and the latest messages. Until the event has been
 * taken, and so written to the transcript, the conversation is unchanged: an end at any earlier point loses nothing.
 */
export async function* compact(
  agent: AgentContext,
  trigger: CompactionTrigger,
  instructions?: string,
): AsyncGenerator<AgentEvent, Compaction> {
  const start = agent.clock.monotonic();
  const preTokens = nextRequestTokens(agent);
  const first = buildPlan(agent, trigger);
  if (!first) return { kind: 'nothing', usage: noUsage };
  const held = await agent.hooks?.compacting?.({ trigger, instructions }, describeHookPlace(agent));
  if (held?.refusal !== undefined) return { kind: 'held', reason: held.refusal, usage: noUsage };
  yield markEvent(agent, { type: 'compaction_started', trigger });
  const window = measureWindow(agent);
  const summary = yield* summarise(agent, first.plan, first.budget.summary, instructions);
  if (!summary.ok) return { kind: 'failed', failure: summary.failure, usage: summary.usage };
  // An overflow on the way has shown that the window is smaller than assumed.
  const { plan, budget } = (measureWindow(agent) < window && buildPlan(agent, trigger)) || first;
  const messages = rewrite(agent, plan, budget, trigger, summary.text);
  const postTokens = messages.reduce(
    (sum, record) => sum + estimateTokens(record.message.content),
    fixedTokens(agent),
  );
  const boundary = buildBoundary(agent, messages, { trigger, preTokens, postTokens, usage: summary.usage });
  const durationMs = agent.clock.monotonic() - start;
  yield markEvent(agent, {
    type: 'conversation_compacted',
    trigger,
    preTokens,
    postTokens,
    durationMs,
    boundary,
    messages,
  });
  agent.conversation.restart(messages);
  const notes = await agent.hooks?.sessionStarted?.('compact', describeHookPlace(agent));
  if (notes) yield* addNotes(agent, notes);
  return { kind: 'done', preTokens, postTokens, usage: summary.usage };
}

function buildPlan(
  agent: AgentContext,
  trigger: CompactionTrigger,
): { plan: CompactPlan; budget: CompactBudget } | undefined {
  const budget = measureBudget(agent);
  // A user who asks for it wants a shorter conversation, however much room there is.
  if (trigger === 'manual') budget.recent = Math.min(budget.recent, Math.floor(agent.conversation.grown / 4));
  const plan = planCompaction(agent, budget);
  return plan && { plan, budget };
}

/** The records of the new conversation: the summary, then copies of what stays, in their own chain. */
function rewrite(
  agent: AgentContext,
  plan: CompactPlan,
  budget: CompactBudget,
  trigger: CompactionTrigger,
  summary: string,
): MessageRecord[] {
  const stays = [...(plan.prompt ? [plan.prompt] : []), ...plan.kept];
  const carried = carryState(agent, agent.conversation.records, new Set(stays.map(({ uuid }) => uuid)));
  const tasks = agent.hands.tasks.running?.().filter(({ owner }) => owner === agent.agentId) ?? [];
  const text = renderOpening({
    trigger,
    summary: boundTokens(summary, budget.summary),
    state: renderState(carried, tasks, budget.state),
    told: plan.told.length > 0 ? renderExcerpts(plan.told, budget.unanswered) : '',
    isFollowed: stays.length > 0,
  });
  const opening: UserRecord = {
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text }] },
    origin: { kind: 'compaction', carried },
    ...recordBase(agent, null),
  };
  const records: MessageRecord[] = [opening];
  for (const record of stays)
    records.push(copyRecord(record, agent.ids.uuid(), records.at(-1)?.uuid ?? null));
  return records;
}

/** Its tokens were counted at its first occurrence. */
function copyRecord(record: MessageRecord, uuid: string, parentUuid: string | null): MessageRecord {
  const links = { uuid, parentUuid, copyOf: record.copyOf ?? record.uuid };
  return record.type === 'user'
    ? { ...record, ...links }
    : { ...record, ...links, message: { ...record.message, usage: noUsage } };
}

function buildBoundary(
  agent: AgentContext,
  [summary, ...kept]: MessageRecord[],
  figures: Pick<CompactBoundaryRecord, 'trigger' | 'preTokens' | 'postTokens' | 'usage'>,
): CompactBoundaryRecord {
  return {
    type: 'compact-boundary',
    timestamp: timestamp(agent.clock),
    sessionId: agent.identity.sessionId,
    agentId: agent.agentId ?? undefined,
    ...figures,
    model: agent.model.id,
    logicalParentUuid: agent.conversation.lastUuid,
    summaryUuid: summary?.uuid ?? '',
    keptUuids: kept.map(({ uuid }) => uuid),
  };
}
