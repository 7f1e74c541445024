import type { MessageRecord, StateRecord, Suspension, TaskRecord, TaskView } from '../protocol/index.ts';
import { isUnderWay } from '../tasks/tasks.ts';

/** The part of a session that a limit had suspended when its process ended. */
export interface SuspendedWork {
  /** Parents before their children. Each with what it waits for, or others for which it works. */
  agents: SuspendedAgent[];
  /** What the lead itself was waiting for. */
  lead?: Suspension | undefined;
}

export interface SuspendedAgent {
  task: TaskView;
  suspended: Suspension;
}

/** Everything that had not ended continues, suspended or not: another holder stopped at a step, or is gone. */
export interface TakenWork {
  suspension: Suspension;
  /** A run of the lead was in progress. */
  isLeadRunning: boolean;
}

/** What a transcript says of the work. */
export interface RecordedWork {
  state?: StateRecord | undefined;
  agents: readonly TaskRecord[];
  /** Everything that was said in the lead's conversation, also before a compaction. */
  said: readonly MessageRecord[];
}

/**
 * The work that continues: the lead if it was waiting; every agent that was suspended, with those above it, which hear of
 * its end; and those that had not ended by themselves, since they worked for or beside one that was. Undefined if nothing
 * was suspended. Suspended teammates are not listed, since they continue with their team, but they are work to continue.
 */
export function findSuspended(
  { state, agents, said }: RecordedWork,
  taken?: TakenWork,
): SuspendedWork | undefined {
  const newest = new Map<string, TaskRecord>();
  const teammates = new Map<string, TaskRecord>();
  for (const record of agents) {
    if (record.task.kind === 'local_agent') newest.set(record.task.id, record);
    if (record.task.kind === 'in_process_teammate') teammates.set(record.task.id, record);
  }
  const found = [...newest.values()].flatMap((record) => {
    const line = listLine(record, newest);
    return isSuspended(record) && line && !isLeftBehind(line.at(-1), said) ? [{ record, line }] : [];
  });
  const lead = state?.suspended ?? (taken?.isLeadRunning ? taken.suspension : undefined);
  const reason =
    lead ??
    found[0]?.record.task.suspended ??
    teammates.values().find(isSuspended)?.task.suspended ??
    taken?.suspension;
  if (!reason) return undefined;
  const wanted = new Set(found.flatMap(({ line }) => line));
  for (const record of newest.values())
    if (!record.end && isUnderWay(record.task) && !isReported(record, said))
      for (const one of listLine(record, newest) ?? []) wanted.add(one);
  const depth = ({ agent }: TaskView) => agent?.depth ?? 1;
  const tasks = [...wanted].map(({ task }) => task).sort((one, other) => depth(one) - depth(other));
  return { agents: tasks.map((task) => ({ task, suspended: task.suspended ?? reason })), lead };
}

function isSuspended({ task }: TaskRecord): boolean {
  return task.suspended !== undefined && !task.stoppedBy;
}

/** The agent and those above it, up to the one that the lead started. Undefined if the user or an agent stopped one of them. */
function listLine(record: TaskRecord, newest: ReadonlyMap<string, TaskRecord>): TaskRecord[] | undefined {
  const line: TaskRecord[] = [];
  for (let one: TaskRecord | undefined = record; one; ) {
    if (one.task.stoppedBy || line.includes(one)) return undefined;
    line.push(one);
    const { owner } = one.task;
    if (owner === null) return line;
    one = newest.get(owner);
  }
  return undefined;
}

/**
 * Whether the user went on without an agent that gave up waiting: the lead knew of its end, and answered another prompt after
 * that. A prompt that was sent while the agent was running, or that the limit kept from being answered, is ignored.
 */
function isLeftBehind(record: TaskRecord | undefined, said: readonly MessageRecord[]): boolean {
  if (!record?.end) return false;
  const toldAt = said.findIndex((message) => tellsEnd(message, record.task));
  if (toldAt < 0) return false;
  const promptedAt = said.findIndex((one, at) => at > toldAt && isPrompt(one));
  return promptedAt >= 0 && said.slice(promptedAt).some(({ type }) => type === 'assistant');
}

/**
 * Whether the lead was told that it ended with its session. Versions that recorded no end for it left it as running. The result of a
 * call that waited for it is written before it continues, so that alone does not say it.
 */
function isReported({ task }: TaskRecord, said: readonly MessageRecord[]): boolean {
  const toldAt = said.findIndex((message) => tellsEnd(message, task));
  if (toldAt < 0 || task.isBackgrounded !== false) return toldAt >= 0;
  return said.slice(toldAt).some(({ type }) => type === 'assistant');
}

function isPrompt(record: MessageRecord): boolean {
  return record.type === 'user' && record.origin.kind === 'human';
}

/** By a notification, or as the result of the call that waited for it. */
function tellsEnd(record: MessageRecord, { runId, toolUseId, isBackgrounded }: TaskView): boolean {
  if (record.type !== 'user') return false;
  if (isBackgrounded) return record.origin.kind === 'task-notification' && record.origin.runId === runId;
  const { content } = record.message;
  return (
    Array.isArray(content) &&
    content.some((block) => block.type === 'tool_result' && block.tool_use_id === toolUseId)
  );
}
