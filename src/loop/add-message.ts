import { timestamp } from '../lib/clock.ts';
import { escapeNoticeBlocks } from '../lib/text/harness-tags.ts';
import type {
  AgentEvent,
  AssistantMessage,
  CommandReceipt,
  MessageRecord,
  Origin,
  UserBlock,
} from '../protocol/index.ts';
import { type AgentContext, markEvent } from './agent-context.ts';
import { maskMessage } from './mask-result.ts';

/**
 * Adds a message to the conversation and yields it. The caller writes it to the transcript before pulling the loop
 * again, so a message is on disk before anything acts on it.
 */
export function* addUserMessage(
  agent: AgentContext,
  content: UserBlock[],
  origin: Origin,
  more: { uuid?: string; toolData?: unknown; receipt?: CommandReceipt | undefined } = {},
): Generator<AgentEvent, void> {
  const record: MessageRecord = {
    type: 'user',
    message: {
      role: 'user',
      content: maskMessage(agent.hands.secrets, escapeForged(content, origin), origin),
    },
    origin,
    ...(more.receipt ? { receipt: more.receipt } : {}),
    ...recordBase(agent, agent.conversation.lastUuid, more.uuid),
  };
  yield* add(agent, record, more.toolData);
}

/** Text from a user or a program, and everything read for it, may quote a notification but cannot be one. */
function escapeForged(content: UserBlock[], { kind }: Origin): UserBlock[] {
  return kind === 'human' ? escapeNoticeBlocks(content) : content;
}

export function* addAssistantMessage(
  agent: AgentContext,
  message: AssistantMessage,
): Generator<AgentEvent, void> {
  yield* add(agent, { type: 'assistant', message, ...recordBase(agent, agent.conversation.lastUuid) });
}

function* add(agent: AgentContext, record: MessageRecord, toolData?: unknown): Generator<AgentEvent, void> {
  agent.conversation.add(record);
  yield markEvent(agent, { type: 'message_added', record, toolData });
}

/** The fields that all messages have in common. */
export function recordBase(agent: AgentContext, parentUuid: string | null, uuid?: string) {
  return {
    uuid: uuid ?? agent.ids.uuid(),
    parentUuid,
    sessionId: agent.identity.sessionId,
    timestamp: timestamp(agent.clock),
    isSidechain: agent.agentId !== null,
    agentId: agent.agentId ?? undefined,
  };
}
