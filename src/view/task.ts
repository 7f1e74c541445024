import type { TaskKind, TaskStatus } from '../protocol/task.ts';

/** Background work that is not an agent: a command, a monitor, a dream. */
export interface Task {
  readonly id: string;
  readonly runId: string;
  readonly kind: TaskKind;
  readonly state: TaskStatus;
  readonly description: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The agent that started it; null is the lead. */
  readonly owner: string | null;
  readonly callId: string | null;
  readonly isBackgrounded: boolean;
  readonly error: string | null;
  readonly outputFile: string;
}

/** A line of the task panel: any kind of work. */
export interface TaskRow extends Task {
  /** If it is an agent. */
  readonly agentId: string | null;
}

export interface TaskCounts {
  readonly running: number;
  readonly pending: number;
  readonly completed: number;
  readonly failed: number;
  readonly killed: number;
}
