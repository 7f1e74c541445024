import { timestamp } from '../lib/clock.ts';
import { ok, type Result } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { maskMessage } from '../loop/mask-result.ts';
import type { LetterRecord, TranscriptRecord } from '../protocol/index.ts';
import type { Letter } from '../tasks/inbox.ts';

/** The transcript of one agent. Made at the first record. */
export interface AgentLog {
  append(record: TranscriptRecord): Result<void>;
  close(): void;
}

/**
 * Writes down a letter that an agent has yet to read: whoever sent it is told that it will be read, and a crash before
 * that must not make it untrue. The message that it becomes has the same uuid, so that it is delivered once.
 */
export function noteLetter(log: AgentLog, context: AgentContext, letter: Letter): Result<void> {
  const { uuid, content, origin } = letter;
  if (uuid === undefined) return ok(undefined);
  return log.append({
    type: 'letter',
    timestamp: timestamp(context.clock),
    sessionId: context.identity.sessionId,
    messageUuid: uuid,
    content: maskMessage(context.hands.secrets, content, origin),
    origin,
  });
}

export function buildLetter({ messageUuid, content, origin }: LetterRecord): Letter {
  return { delivery: 'steer', content, origin, uuid: messageUuid };
}
