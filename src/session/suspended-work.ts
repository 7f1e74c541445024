import type { StateRecord, TaskRecord, TaskView } from '../protocol/index.ts';
import { isUnderWay } from '../tasks/tasks.ts';

/** The part of a session that a limit had suspended when its process ended. */
export interface SuspendedWork {
  /** Parents before their children. */
  agents: TaskView[];
  /** Whether the lead itself was waiting. */
  lead: boolean;
}

/**
 * The work that continues: the lead if it was waiting, and every agent that was suspended or had not ended, since it
 * worked for one that was. Undefined if nothing was suspended.
 */
export function findSuspended(
  state: StateRecord | undefined,
  records: readonly TaskRecord[],
): SuspendedWork | undefined {
  const lead = state?.suspended !== undefined;
  const newest = new Map<string, TaskRecord>();
  for (const record of records) newest.set(record.task.id, record);
  const tasks = [...newest.values()];
  if (!lead && !tasks.some(({ task }) => isSuspended(task))) return undefined;
  const agents = tasks
    .filter(({ task, end }) => isSuspended(task) || (!end && isUnderWay(task)))
    .map(({ task }) => task)
    .sort((one, other) => (one.agent?.depth ?? 1) - (other.agent?.depth ?? 1));
  return { agents, lead };
}

function isSuspended({ suspended, stoppedBy }: TaskView): boolean {
  return suspended !== undefined && stoppedBy === undefined;
}
