import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { TaskEnd, TaskView } from '../protocol/index.ts';

/** The registry's view of its surroundings. */
export interface TaskSurroundings {
  clock: Clock;
  ids: Ids;
  /** Where a task's output goes; the directory exists. */
  outputFile(taskId: string): string;
  /** Every change of state, including the end. Called before the agent is notified of that end. */
  changed(task: TaskView, end?: TaskEnd): void;
  /** An agent has made progress. Not a change of state. */
  progressed?(task: TaskView): void;
  /** An event of a running task, for the agent that started it. */
  told?(task: TaskView, text: string): void;
  /** The end of a run in the background, once, for the agent that started it. */
  ended(task: TaskView, end: TaskEnd): void;
  /** Its owner already has the result: an unread notification of the end need not repeat it. */
  retrieved?(task: TaskView, end: TaskEnd): void;
  /** Removes a finished task from memory; false keeps it. */
  evict?(task: TaskView, end: TaskEnd): boolean;
  /** The id of the agent that has this name. */
  resolve?(name: string): string | undefined;
  /** A finished task that is no longer in memory. */
  recall?(taskId: string): { task: TaskView; end: TaskEnd } | undefined;
}

/** Why the run of a task that outlives the session ends: nothing is stopped. */
export const leftRunning = 'The session has ended; this continues elsewhere.';
