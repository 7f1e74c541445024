import { type Clock, timestamp } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import { type ToolResultBlock, type ToolUseBlock, toolUses } from '../protocol/message.ts';
import type {
  CallBegunRecord,
  MessageRecord,
  StateRecord,
  TaskRecord,
  UserRecord,
} from '../protocol/record.ts';
import { isAgentTask } from '../protocol/task.ts';
import { followChain } from './chain.ts';
import { fillGaps } from './fill-gaps.ts';
import { followLineage, untilHead, withoutUnfinished } from './lineage.ts';
import { noteNewest, putInOrder } from './own-records.ts';
import { pairResults } from './pair-results.ts';
import type { LoadedTranscript } from './transcript.ts';
import { findDoubtful, findLostCalls } from './unclear-calls.ts';

export interface StoredConversation {
  /** Well-formed: every tool call has one result, right after it. Includes the repairs. */
  messages: MessageRecord[];
  /** Calls with unknown results. They are not run again; the model is notified. */
  interrupted: ToolUseBlock[];
  /** Calls that had not begun, or that change nothing: they can be called again. */
  notBegun: ToolUseBlock[];
  /** Everything that still applies, including messages from before a compaction. */
  said: readonly MessageRecord[];
  /** Background tasks whose end the agent was never notified of, with that end where it was stored. */
  untold: TaskRecord[];
  /** The newest state of every task that was started, oldest first; of all agents of the session. */
  tasks: TaskRecord[];
  /** Those of them that are agents. */
  agents: TaskRecord[];
  /** Must be appended before anything else, so that the file is as well-formed as `messages`. */
  repairs: MessageRecord[];
  /** Ids of calls that had begun and whose message is missing. */
  lost: string[];
  /** Problems in the order of messages, in words. */
  broken: string[];
  /** The state in force at the end. */
  state?: StateRecord;
  title?: string;
}

/** Sent to the model as the result of a call that a crash or kill interrupted. */
export const interruptedResult =
  'Interrupted, result unknown: the session ended while this call was running. It was not run again. ' +
  'Check what it did before you repeat it.';

/** The same for a call that leads to the same however often it runs. */
export const repeatableResult =
  'Interrupted, result unknown: the session ended while this call was running. It was not run again. ' +
  'Calling it again is safe: it leads to the same.';

/** For a call that had not begun, or that changes nothing: of both kinds nothing is left. */
export const notBegunResult =
  'No result: the session ended before this call changed anything. You can call it again.';

/** The conversation in a transcript, ready to be continued. */
export function restoreConversation(
  found: LoadedTranscript,
  clock: Clock,
  ids: Pick<Ids, 'uuid'>,
  /** The owner's id; null is the lead. */
  owner: string | null = null,
): StoredConversation {
  const { records, moved } = putInOrder(found.records);
  const loaded = { ...found, records };
  const ending = untilHead(loaded.records, withoutUnfinished(loaded.records));
  const chain = followChain(ending.messages);
  const tasks = newestStates(loaded.records);
  const begun = listBegun(loaded.records);
  const isDoubtful = findDoubtful(loaded);
  const notBegun: ToolUseBlock[] = [];
  const answerCalls = (calls: ToolUseBlock[], after: MessageRecord) => {
    const isKnown = isJournalled(after) && !isDoubtful(after);
    const known: Known = { tasks, begun, isKnown };
    notBegun.push(...calls.filter(({ id }) => isKnown && !begun.has(id)));
    return answerInterrupted(calls, after, known, clock, ids);
  };
  const said = listSaid(loaded.records, chain.messages);
  const paired = pairResults(chain.messages, answerCalls);
  const state = loaded.records.findLast((record) => record.type === 'session-state');
  const title = loaded.records.findLast((record) => record.type === 'custom-title');
  return {
    messages: fillGaps(paired.messages, clock, ids),
    said: said.messages,
    untold: untoldTasks(said, tasks, owner),
    tasks,
    agents: tasks.filter(({ task }) => isAgentTask(task)),
    interrupted: paired.interrupted.filter((call) => !notBegun.includes(call)),
    notBegun,
    lost: findLostCalls(loaded),
    repairs: paired.atEnd ? [paired.atEnd] : [],
    broken: [...moved, ...ending.broken, ...chain.broken, ...paired.broken],
    state,
    title: title?.customTitle,
  };
}

/** What is known of calls without a result. */
interface Known {
  tasks: readonly TaskRecord[];
  /** The effects of all calls that were recorded as begun. */
  begun: ReadonlyMap<string, CallBegunRecord['effect']>;
  /** A call that is not among them did not begin. False for an earlier version, which did not record that, and where a record may be lost. */
  isKnown: boolean;
}

/** Versions that record the epoch of a message also record each call before it runs. */
function isJournalled({ epoch }: MessageRecord): boolean {
  return epoch !== undefined;
}

function listBegun(records: LoadedTranscript['records']): Known['begun'] {
  return new Map(
    records.flatMap((record) => (record.type === 'call-begun' ? [[record.toolUseId, record.effect]] : [])),
  );
}

function answerInterrupted(
  calls: ToolUseBlock[],
  after: MessageRecord,
  known: Known,
  clock: Clock,
  ids: Pick<Ids, 'uuid'>,
): UserRecord {
  const content = calls.map(
    (call): ToolResultBlock => ({
      type: 'tool_result',
      tool_use_id: call.id,
      ...findResult(call, after.agentId ?? null, known),
    }),
  );
  return {
    type: 'user',
    uuid: ids.uuid(),
    parentUuid: after.uuid,
    sessionId: after.sessionId,
    timestamp: timestamp(clock),
    agentId: after.agentId,
    isSidechain: after.isSidechain,
    message: { role: 'user', content },
    origin: { kind: 'harness' },
  };
}

/**
 * A call that waited for an agent: the agent's results up to then are known and kept. The end of a background agent is
 * reported separately, so that it is reported once.
 */
function findResult(
  call: ToolUseBlock,
  owner: string | null,
  { tasks, ...known }: Known,
): Pick<ToolResultBlock, 'content' | 'is_error'> {
  const found = tasks.findLast(
    ({ task }) => task.toolUseId === call.id && task.owner === owner && isAgentTask(task),
  );
  if (!found) return errorText(describeUnfinished(known, call.id));
  const { task, end } = found;
  if (task.isBackgrounded !== false)
    return plainText(
      `The agent ${task.id} was running in the background when the session was interrupted. You will be notified separately how it ended.`,
    );
  if (!end)
    return errorText(
      `Interrupted: the session ended while the agent ${task.id} was running. Its output so far is in ${task.outputFile}.${owner === null ? ` Unless you are told that it runs again, SendMessage to ${task.id} continues it.` : ''}`,
    );
  const isDone = end.status === 'completed';
  const how = isDone ? 'had finished' : `had ended (${end.outcome ?? end.status})`;
  const text = `The session was interrupted just after the agent ${task.id} ${how}. Its report:\n\n${end.text || (end.reason ?? '(nothing)')}`;
  return isDone ? plainText(text) : errorText(text);
}

function describeUnfinished({ begun, isKnown }: Omit<Known, 'tasks'>, id: string): string {
  const effect = begun.get(id);
  if (isKnown && effect === undefined) return notBegunResult;
  return effect === 'repeatable' ? repeatableResult : interruptedResult;
}

/** Text from an agent must not pass for text from the harness. */
function plainText(text: string): Pick<ToolResultBlock, 'content'> {
  return { content: [{ type: 'text', text: escapeHarnessTags(text) }] };
}

function errorText(text: string): Pick<ToolResultBlock, 'content' | 'is_error'> {
  return { ...plainText(text), is_error: true };
}

/** The newest state of each run, in order of their start. */
function newestStates(records: LoadedTranscript['records']): TaskRecord[] {
  const newest = new Map<string, TaskRecord>();
  for (const record of records)
    if (record.type === 'task-state') noteNewest(newest, record.task.runId, record);
  return [...newest.values()];
}

/** All messages, or after a rewind those that still apply. */
function listSaid(records: LoadedTranscript['records'], chain: MessageRecord[]): Said {
  const wentBack = records.some((record) => record.type === 'rewind' && record.head !== undefined);
  if (!wentBack)
    return { messages: records.filter((record) => record.type === 'user' || record.type === 'assistant') };
  const messages = followLineage(records, chain);
  const calls = messages.flatMap((record) => (record.type === 'assistant' ? toolUses(record.message) : []));
  return { messages, calls: new Set(calls.map(({ id }) => id)) };
}

interface Said {
  messages: readonly MessageRecord[];
  /** If given: the agent knows no other calls. */
  calls?: ReadonlySet<string>;
}

/**
 * Tasks that no message mentions, including messages from before a compaction. A task that another agent started belongs to
 * that agent, and one started by a call that was rewound is dropped.
 */
function untoldTasks(said: Said, tasks: readonly TaskRecord[], owner: string | null): TaskRecord[] {
  const told = new Set(
    said.messages.flatMap((record) =>
      record.type === 'user' && record.origin.kind === 'task-notification' ? [record.origin.runId] : [],
    ),
  );
  const isKnown = (call: string | undefined) => call === undefined || said.calls?.has(call) !== false;
  const newest = new Map(tasks.map(({ task }) => [task.id, task.runId]));
  // A run that was cut off and continued by a later one has no end.
  const isContinued = ({ task, end }: TaskRecord) =>
    newest.get(task.id) !== task.runId && (!end || task.suspended !== undefined);
  return tasks
    .filter((record) => !isContinued(record))
    .filter(
      ({ task }) =>
        !told.has(task.runId) &&
        task.owner === owner &&
        task.isBackgrounded !== false &&
        isKnown(task.toolUseId),
    );
}
