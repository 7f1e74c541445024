import { textOf, toolUses, totalTokens } from '../../protocol/message.ts';
import type { AssistantRecord, UserRecord } from '../../protocol/record.ts';
import { isAtWork, summariseAgent } from '../agents.ts';
import { buildExcerpt, maxPrompt } from '../bound.ts';
import { buildCall } from '../calls.ts';
import type { Draft } from '../draft.ts';
import type { Entry, EventOf, ShownConversation } from '../entry.ts';
import { buildAnswerEntries, buildLetterEntry } from '../message-entries.ts';
import { endCall, loseCalls } from './call.ts';

export function reduceMessage(
  draft: Draft,
  agentId: string | null,
  { record, toolData }: EventOf<'message_added'>,
): void {
  const at = Date.parse(record.timestamp);
  if (record.type === 'assistant') addAnswer(draft, agentId, record, at);
  else addLetter(draft, agentId, record, toolData, at);
}

function addAnswer(draft: Draft, agentId: string | null, record: AssistantRecord, at: number): void {
  loseCalls(draft, agentId, at);
  const { blocks } = draft.conversation(agentId).live;
  const calls = toolUses(record.message).map((block) => buildCall(block, record.uuid, at));
  draft.setLive(agentId, { blocks: [], wait: null, calls });
  draft.add(agentId, buildAnswerEntries(record, blocks, at));
  if (agentId === null) noteContext(draft, record);
}

/** The next request repeats all of this one and its answer. */
function noteContext(draft: Draft, { message: { usage } }: AssistantRecord): void {
  const used = totalTokens(usage);
  const { context } = draft.view.session;
  if (used > 0) draft.setSession({ context: { ...context, used } });
}

function addLetter(
  draft: Draft,
  agentId: string | null,
  record: UserRecord,
  toolData: unknown,
  at: number,
): void {
  for (const block of record.message.content)
    if (block.type === 'tool_result') endCall(draft, agentId, block, toolData, at);
  const entry = buildLetterEntry(record, at, (id) => {
    const agent = draft.view.agents.get(id);
    return agent ? summariseAgent(agent) : null;
  });
  if (entry && !isShown(entry, draft.conversation(agentId))) draft.add(agentId, [entry]);
  const { queued } = draft.view;
  if (agentId === null && queued.some(({ uuid }) => uuid === record.uuid))
    draft.set({ queued: queued.filter(({ uuid }) => uuid !== record.uuid) });
}

/** The end of an agent that a resumed session already showed where it was started: it gets no second row. */
function isShown(entry: Entry, { entries }: ShownConversation): boolean {
  if (entry.kind !== 'notification' || entry.about !== 'end') return false;
  const { agent } = entry;
  return entries.some(
    (one) =>
      one.kind === 'agents' &&
      one.calls.some(({ agents }) =>
        agents.some(({ id, runs, state }) => id === agent?.id && runs === agent.runs && !isAtWork(state)),
      ),
  );
}

export function reduceCompaction(
  draft: Draft,
  agentId: string | null,
  { trigger, preTokens, postTokens, boundary, messages }: EventOf<'conversation_compacted'>,
): void {
  const at = Date.parse(boundary.timestamp);
  const summary = buildExcerpt(textOf(messages[0]?.message.content ?? []), maxPrompt);
  draft.setLive(agentId, { wait: null });
  draft.add(agentId, [
    { id: boundary.summaryUuid, at, kind: 'compaction', trigger, preTokens, postTokens, summary },
  ]);
  const { context } = draft.view.session;
  if (agentId === null) draft.setSession({ context: { ...context, used: postTokens } });
}
