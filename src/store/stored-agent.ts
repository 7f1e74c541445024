import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import type {
  AgentRecord,
  HeaderRecord,
  LetterRecord,
  MessageRecord,
  TaskRecord,
  TranscriptRecord,
} from '../protocol/record.ts';
import { restoreConversation } from './conversation.ts';
import { pickOwn } from './own-records.ts';
import { type LoadedTranscript, loadTranscript } from './transcript.ts';

/** An agent as its transcript has it, for resuming it. */
export interface StoredAgent {
  state: AgentRecord;
  messages: MessageRecord[];
  repairs: MessageRecord[];
  /** Its own background tasks whose end it was never notified of. */
  untold: TaskRecord[];
  /** Messages for it that it has not read. */
  unread: LetterRecord[];
  /** Ids of calls that had begun and whose message is damaged. */
  lost: string[];
  path: string;
  /** Lines that could not be read, and those of a process that had lost the session. */
  damage: LoadedTranscript['damage'];
  late: NonNullable<LoadedTranscript['late']>;
  /** Problems in the order of messages, and messages of other agents, in words. */
  broken: string[];
}

/** The parts of an agent's state that are not in its own transcript. */
export interface Elsewhere {
  /** The states of tasks it started: they are in the session's transcript. */
  tasks: readonly TaskRecord[];
  /** The conversation that a fork started from. */
  inherit(from: NonNullable<AgentRecord['inherits']>): Promise<Result<MessageRecord[]>>;
}

interface Found extends Pick<LoadedTranscript, 'damage' | 'late' | 'unreadAfter'> {
  /** Messages of other agents, in words. */
  misplaced?: string[];
}

type AgentRecords = readonly Exclude<TranscriptRecord, HeaderRecord>[];

export async function loadAgentTranscript(
  path: string,
  agentId: string,
  elsewhere: Elsewhere,
  clock: Clock,
  ids: Ids,
): Promise<Result<StoredAgent>> {
  const loaded = await loadTranscript(path);
  if (!loaded.ok) return loaded;
  const own = pickOwn(path, loaded.value.records, agentId);
  if (!own.ok) return own;
  return agentFrom(path, own.value.records, elsewhere, clock, ids, {
    ...loaded.value,
    misplaced: own.value.foreign,
  });
}

/**
 * An agent in a state that can be resumed. A fork's own records answer the calls of its parent, so they are put in order
 * together with what it inherited.
 */
export async function agentFrom(
  path: string,
  records: AgentRecords,
  elsewhere: Elsewhere,
  clock: Clock,
  ids: Ids,
  { damage, late = [], unreadAfter, misplaced = [] }: Found = { damage: [] },
): Promise<Result<StoredAgent>> {
  const state = records.findLast((record) => record.type === 'agent-state');
  if (!state) return failure(`${path} does not name its agent, so the agent cannot be resumed.`);
  const inherited = state.inherits ? await elsewhere.inherit(state.inherits) : ok([]);
  if (!inherited.ok) return inherited;
  const letters = unreadLetters(records);
  // Where it runs it may have been read: it is sent again, and becomes a message there.
  const isElsewhere = state.runsAt !== undefined;
  const first = isElsewhere ? undefined : letters.find(({ origin }) => origin.kind === 'delegation');
  const opening = first ? [openingMessage(first, state, inherited.value.at(-1))] : [];
  const all = [...inherited.value, ...records, ...opening, ...elsewhere.tasks];
  const loaded = { path, records: all, damage, unknown: 0, ...(unreadAfter ? { unreadAfter } : {}) };
  const { messages, repairs, untold, lost, broken } = restoreConversation(loaded, clock, ids, state.agentId);
  const unread = letters.filter((letter) => letter !== first);
  return ok({
    ...{ state, messages, untold, unread, lost, path, damage, late },
    repairs: [...opening, ...repairs],
    broken: [...misplaced, ...broken],
  });
}

function unreadLetters(records: AgentRecords): LetterRecord[] {
  const read = new Set(records.flatMap((record) => (record.type === 'user' ? [record.uuid] : [])));
  return records.filter((record) => record.type === 'letter').filter((one) => !read.has(one.messageUuid));
}

/** The prompt of an agent that was interrupted before its turn came: a fork's prompt answers its parent's calls. */
function openingMessage(
  { messageUuid, sessionId, timestamp, content, origin }: LetterRecord,
  { agentId }: AgentRecord,
  after: MessageRecord | undefined,
): MessageRecord {
  return {
    type: 'user',
    uuid: messageUuid,
    parentUuid: after?.uuid ?? null,
    sessionId,
    timestamp,
    agentId,
    isSidechain: true,
    message: { role: 'user', content },
    origin,
  };
}

/** A conversation up to and including this message. */
export async function loadUpTo(
  path: string,
  messageUuid: string,
  clock: Clock,
  ids: Ids,
): Promise<Result<MessageRecord[]>> {
  const loaded = await loadTranscript(path);
  if (!loaded.ok) return loaded;
  return upTo(path, loaded.value.records, messageUuid, clock, ids);
}

export function upTo(
  path: string,
  records: AgentRecords,
  messageUuid: string,
  clock: Clock,
  ids: Ids,
): Result<MessageRecord[]> {
  const at = records.findIndex((record) => 'uuid' in record && record.uuid === messageUuid);
  if (at < 0) return failure(`${path} no longer contains the message that a fork started from.`);
  const loaded = { path, records: records.slice(0, at + 1), damage: [], unknown: 0 };
  const { messages } = restoreConversation(loaded, clock, ids);
  const end = messages.findIndex((record) => record.uuid === messageUuid);
  return ok(messages.slice(0, end + 1));
}
