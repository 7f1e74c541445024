import type { MessageRecord, StateRecord, TaskRecord, TaskView } from '../protocol/index.ts';
import { isUnderWay } from '../tasks/tasks.ts';

/** The part of a session that a limit had suspended when its process ended. */
export interface SuspendedWork {
  /** Parents before their children. */
  agents: TaskView[];
  /** Whether the lead itself was waiting. */
  lead: boolean;
}

/** What a transcript says of the work. */
export interface RecordedWork {
  state?: StateRecord | undefined;
  agents: readonly TaskRecord[];
  messages: readonly MessageRecord[];
}

/**
 * The work that continues: the lead if it was waiting; every agent that was suspended; and those that had not ended by
 * themselves, since they worked for or beside one that was. Undefined if nothing was suspended.
 */
export function findSuspended({ state, agents, messages }: RecordedWork): SuspendedWork | undefined {
  const lead = state?.suspended !== undefined;
  const newest = new Map<string, TaskRecord>();
  for (const record of agents) newest.set(record.task.id, record);
  const promptedAt = findLastPrompt(messages);
  const suspended = [...newest.values()].filter((record) => isSuspended(record, promptedAt));
  if (!lead && suspended.length === 0) return undefined;
  const wanted = new Map(suspended.map(({ task }) => [task.id, task]));
  for (const { task, end } of newest.values()) if (!end && isUnderWay(task)) wanted.set(task.id, task);
  for (const { task } of suspended) addOwners(task, newest, wanted);
  const depth = ({ agent }: TaskView) => agent?.depth ?? 1;
  return { agents: [...wanted.values()].sort((one, other) => depth(one) - depth(other)), lead };
}

/** One that gave up waiting is left alone if the user went on without it. */
function isSuspended({ task, end, timestamp }: TaskRecord, promptedAt: string): boolean {
  if (!task.suspended || task.stoppedBy) return false;
  return !end || timestamp >= promptedAt;
}

/** ISO 8601, which sorts by time; empty if there was none. */
function findLastPrompt(messages: readonly MessageRecord[]): string {
  const last = messages.findLast((record) => record.type === 'user' && record.origin.kind === 'human');
  return last?.timestamp ?? '';
}

/** An agent that waits for another one ends with the session, too: without it nothing would hear of the other's end. */
function addOwners(
  { owner }: TaskView,
  newest: ReadonlyMap<string, TaskRecord>,
  wanted: Map<string, TaskView>,
): void {
  const above = owner === null ? undefined : newest.get(owner)?.task;
  if (above?.status !== 'killed' || above.stoppedBy) return;
  wanted.set(above.id, above);
  addOwners(above, newest, wanted);
}
