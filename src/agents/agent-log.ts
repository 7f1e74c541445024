import { timestamp } from '../lib/clock.ts';
import { ok, type Result } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { maskMessage } from '../loop/mask-result.ts';
import type { LetterRecord, TranscriptRecord } from '../protocol/index.ts';
import type { Letter } from '../tasks/inbox.ts';

/** The transcript of one agent. Made at the first record. */
export interface AgentLog {
  append(record: TranscriptRecord): Result<void>;
  /** Fails once another process has the session: nothing more may be begun. */
  check(): Result<void>;
  /** When ends of agents, and what is told of them, survive a power cut; undefined if they do. */
  synced(): Promise<void> | undefined;
  close(): void;
}

/**
 * Records a letter that an agent has not read yet: its sender was promised that it will be read, and a crash must not
 * break that. The message that it becomes has the same uuid, so it is delivered once.
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
