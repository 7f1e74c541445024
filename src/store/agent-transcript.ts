import { existsSync } from 'node:fs';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import type { AgentRecord, HeaderRecord, MessageRecord, TranscriptRecord } from '../protocol/record.ts';
import { conversationOf } from './conversation.ts';
import { createTranscript, loadTranscript, reopenTranscript, type Transcript } from './transcript.ts';

/** The transcript of one agent besides the lead, made at its first record and gone on with in later runs (CX3). */
export interface AgentTranscript {
  append(record: TranscriptRecord): Result<void>;
  close(): void;
}

export function openAgentTranscript(path: string, header: () => HeaderRecord): AgentTranscript {
  let transcript: Transcript | undefined;
  const open = (): Result<Transcript> => {
    if (transcript) return ok(transcript);
    const opened = existsSync(path) ? reopenTranscript(path) : createTranscript(path, header());
    if (opened.ok) transcript = opened.value;
    return opened;
  };
  return {
    append(record) {
      const opened = open();
      return opened.ok ? opened.value.append(record) : opened;
    },
    close() {
      transcript?.close();
      transcript = undefined;
    },
  };
}

/** Where nothing is kept on disk: what an agent that is gone on with needs, for as long as the session lives. */
export function memoryTranscript(kept: TranscriptRecord[]): AgentTranscript {
  return {
    append(record) {
      kept.push(record);
      return ok(undefined);
    },
    close() {},
  };
}

export interface StoredAgent {
  state: AgentRecord;
  messages: MessageRecord[];
  repairs: MessageRecord[];
}

export async function loadAgentTranscript(
  path: string,
  clock: Clock,
  ids: Ids,
): Promise<Result<StoredAgent>> {
  const loaded = await loadTranscript(path);
  if (!loaded.ok) return loaded;
  return agentFrom(path, loaded.value.records, clock, ids);
}

export function agentFrom(
  path: string,
  records: readonly Exclude<TranscriptRecord, HeaderRecord>[],
  clock: Clock,
  ids: Ids,
): Result<StoredAgent> {
  const state = records.findLast((record) => record.type === 'agent-state');
  if (!state) return failure(`${path} does not say what agent it is of, so that it cannot go on.`);
  const loaded = { path, records: [...records], damage: [], unknown: 0 };
  const { messages, repairs } = conversationOf(loaded, clock, ids);
  return ok({ state, messages, repairs });
}

/** A conversation as it was when this message had been said; undefined when it never was. */
export async function loadUpTo(
  path: string,
  messageUuid: string,
  clock: Clock,
  ids: Ids,
): Promise<Result<MessageRecord[]>> {
  const loaded = await loadTranscript(path);
  if (!loaded.ok) return loaded;
  const { records } = loaded.value;
  const at = records.findIndex((record) => 'uuid' in record && record.uuid === messageUuid);
  if (at < 0) return failure(`${path} no longer holds the message that a fork began from.`);
  const { messages } = conversationOf({ ...loaded.value, records: records.slice(0, at + 1) }, clock, ids);
  const end = messages.findIndex((record) => record.uuid === messageUuid);
  return ok(messages.slice(0, end + 1));
}
