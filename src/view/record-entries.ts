import { type ToolResultBlock, textOf, toolUses } from '../protocol/message.ts';
import type { AssistantRecord } from '../protocol/record.ts';
import type { Agent } from './agent.ts';
import type { AgentSummary } from './agent-summary.ts';
import { summariseAgent } from './agents.ts';
import { buildExcerpt, maxPrompt } from './bound.ts';
import type { ShownCall } from './call.ts';
import { buildCall, takeOver } from './calls.ts';
import type { Shown } from './chain.ts';
import type { Entry, StoredResult } from './entry.ts';
import { buildAnswerEntries, buildLetterEntry, buildRunEntries } from './message-entries.ts';
import { describeCallEnd } from './reduce/call.ts';

export interface RecordEntries {
  entries: Entry[];
  /** Results whose calls are not among them. */
  unpaired: ReadonlyMap<string, StoredResult>;
}

/** Stored messages as entries. `later` has results that follow them in the transcript. */
export function buildRecordEntries(
  shown: readonly Shown[],
  /** `behind` are the entries that follow them. */
  whose: { agentId: string | null; agents: ReadonlyMap<string, Agent>; behind?: readonly Entry[] },
  later: ReadonlyMap<string, StoredResult> = new Map(),
): RecordEntries {
  const entries: Entry[] = [];
  // From the end: call ids may repeat, and a call's result is the first one after it.
  const results = new Map(later);
  const told = new Set((whose.behind ?? []).flatMap(listEndedTasks));
  for (const record of shown.toReversed()) {
    const at = Date.parse(record.type === 'compaction' ? record.boundary.timestamp : record.timestamp);
    if (record.type === 'assistant') {
      entries.push(...callEntries(record, results, { ...whose, told }, at).reverse());
      entries.push(...buildAnswerEntries(record, [], at).reverse());
    } else if (record.type === 'compaction') entries.push(compactionEntry(record, at));
    else {
      for (const block of record.message.content)
        if (block.type === 'tool_result') results.set(block.tool_use_id, { block, at });
      const entry = buildLetterEntry(record, at, (id) => {
        const agent = whose.agents.get(id);
        return agent ? summariseAgent(agent) : null;
      });
      if (entry) entries.push(entry);
      entries.push(...buildRunEntries(record, at).reverse());
      for (const id of entry ? listEndedTasks(entry) : []) told.add(id);
    }
  }
  return { entries: entries.reverse(), unpaired: results };
}

function callEntries(
  record: AssistantRecord,
  results: Map<string, StoredResult>,
  {
    agentId,
    agents,
    told,
  }: { agentId: string | null; agents: ReadonlyMap<string, Agent>; told: ReadonlySet<string> },
  at: number,
): Entry[] {
  const ends = new Map<string, number>();
  const calls = toolUses(record.message).map((block): ShownCall => {
    const call = buildCall(block, record.uuid, at);
    const found = results.get(block.id);
    results.delete(block.id);
    if (found) ends.set(block.id, found.at);
    const fields = {
      agents: [...agents.values()].flatMap((one) => listStarted(call.id, agentId, one, told)),
    };
    return found
      ? { ...call, ...fields, ...storedEnd(call, found.block) }
      : { ...call, ...fields, state: 'lost', diff: null };
  });
  return takeOver(calls, at).entries.map((entry) => ({ ...entry, at: findEnd(entry, ends, at) }));
}

/** The task whose end this entry reports. */
function listEndedTasks(entry: Entry): string[] {
  return entry.kind === 'notification' && entry.about === 'end' ? [entry.taskId] : [];
}

/** A call's view of an agent that it started or resumed. */
function listStarted(
  callId: string,
  parent: string | null,
  agent: Agent,
  told: ReadonlySet<string>,
): AgentSummary[] {
  const isHere = (run: { callId: string | null; parent: string | null }) =>
    run.callId === callId && run.parent === parent;
  const earlier = agent.earlierRuns.filter(isHere).map(({ summary }) => asStarted(summary));
  if (!isHere(agent)) return earlier;
  const summary = summariseAgent(agent);
  return [...earlier, told.has(agent.id) && agent.runs === 1 ? asStarted(summary) : summary];
}

/** As the call left it, if its end is reported later: an agent is closed in one place. */
function asStarted(summary: AgentSummary): AgentSummary {
  return summary.isBackgrounded
    ? { ...summary, state: 'running', outcome: null, reason: null, endedAt: null }
    : summary;
}

function findEnd(entry: Entry, ends: ReadonlyMap<string, number>, at: number): number {
  return Math.max(at, ...listCalls(entry).map(({ id }) => ends.get(id) ?? at));
}

export function listCalls(entry: Entry): readonly ShownCall[] {
  return entry.kind === 'call' ? [entry.call] : entry.kind === 'agents' ? entry.calls : [];
}

/** A tool's report beside its result was not stored: an earlier file can no longer be compared. */
function storedEnd(call: ShownCall, block: ToolResultBlock): Partial<ShownCall> {
  const end = describeCallEnd(call, block, undefined);
  if (call.toolName !== 'Write' || !end.diff) return end;
  const isNew = end.result?.text.startsWith('Created ') === true;
  return { ...end, diff: isNew ? { ...end.diff, isNew } : null };
}

function compactionEntry({ boundary, summary }: Extract<Shown, { type: 'compaction' }>, at: number): Entry {
  const { summaryUuid: id, trigger, preTokens, postTokens } = boundary;
  const text = buildExcerpt(textOf(summary.message.content), maxPrompt);
  return { id, at, kind: 'compaction', trigger, preTokens, postTokens, summary: text };
}
