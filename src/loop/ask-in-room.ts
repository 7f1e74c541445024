import { chooseCallId } from '../models/tool-input.ts';
import {
  type AgentEvent,
  type AssistantMessage,
  addUsage,
  noUsage,
  toolUses,
  type Usage,
} from '../protocol/index.ts';
import { type AgentContext, markEvent } from './agent-context.ts';
import { askModel, type ModelAnswer } from './ask-model.ts';
import type { Compaction } from './compact/compact.ts';
import { isFull, nextRequestTokens } from './context-room.ts';
import { leaveOutRefused } from './refused-parts.ts';
import { takeLetters } from './take-letters.ts';

/** How many requests may fail as too long before giving up; the conversation is made shorter each time. */
const maxOverflows = 2;
/** How many refused parts one request may lose. */
const maxRefusals = 20;

/**
 * Asks the model within its window: compacts before a request that would not fit, and after one that did not. What a
 * provider refuses of it is left out. `spent` is the usage besides the answer itself.
 */
export async function* askInRoom(
  agent: AgentContext,
): AsyncGenerator<AgentEvent, { answer: ModelAnswer; spent: Usage }> {
  const mayCompact = agent.limits.autoCompact !== false;
  let spent = noUsage;
  if (mayCompact && isFull(agent)) {
    const compaction = yield* makeRoom(agent);
    spent = compaction.usage;
    if (compaction.kind === 'failed') return { answer: refused(compaction), spent };
  }
  for (let overflows = 0, refusals = 0; ; ) {
    const answer = yield* askModel(agent);
    if (answer.ok) {
      const message = giveOwnCallIds(agent, answer.message);
      return { answer: { ...answer, message }, spent: addUsage(spent, answer.lost) };
    }
    if (agent.signal.aborted) return { answer, spent };
    const notice = refusals++ < maxRefusals ? leaveOutRefused(agent, answer.failure) : undefined;
    if (notice !== undefined) {
      yield markEvent(agent, { type: 'notice_given', level: 'warning', text: notice });
      continue;
    }
    if (answer.failure.kind !== 'context_overflow') return { answer, spent };
    if (!mayCompact || overflows++ === maxOverflows) return { answer, spent };
    agent.conversation.noteOverflow(agent.model.id, nextRequestTokens(agent));
    const compaction = yield* makeRoom(agent);
    spent = addUsage(addUsage(spent, answer.usage), compaction.usage);
    if (compaction.kind === 'failed') return { answer: refused(compaction), spent };
    if (compaction.kind !== 'done') return { answer, spent };
  }
}

/** A call with the id of an earlier one gets another: results belong to calls by their ids. */
function giveOwnCallIds({ conversation }: AgentContext, message: AssistantMessage): AssistantMessage {
  const isTaken = (id: string) => conversation.hasCall(id);
  if (!toolUses(message).some(({ id }) => isTaken(id))) return message;
  const content = message.content.map((block) =>
    block.type === 'tool_use' ? { ...block, id: chooseCallId(block.id, isTaken) } : block,
  );
  return { ...message, content };
}

async function* makeRoom(agent: AgentContext): AsyncGenerator<AgentEvent, Compaction> {
  // Most runs never need it.
  const { compact } = await import('./compact/compact.ts');
  const compaction = yield* compact(agent, 'auto');
  // Letters that came meanwhile need not wait for another turn.
  if (compaction.kind === 'done') yield* takeLetters(agent, 'steering');
  return compaction;
}

function refused({ failure }: Extract<Compaction, { kind: 'failed' }>): ModelAnswer {
  return { ok: false, failure, usage: noUsage };
}
