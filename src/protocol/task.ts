import type { OutcomeKind } from './outcome.ts';

/** Work that outlives a turn. Kinds and their id prefixes are TS1's; each kind's runner lives with what it drives. */
export const taskPrefixes = {
  local_bash: 'b',
  local_agent: 'a',
  remote_agent: 'r',
  in_process_teammate: 't',
  local_workflow: 'w',
  monitor_mcp: 'm',
  dream: 'd',
} as const;

export type TaskKind = keyof typeof taskPrefixes;

export type TaskStatus = 'pending' | 'running' | 'completed' | 'failed' | 'killed';

export interface TaskView {
  id: string;
  runId: string;
  kind: TaskKind;
  status: TaskStatus;
  description: string;
  startedAt: string;
  endedAt?: string;
  outputFile: string;
  /** The agent that started it, and is told of its end; null is the lead. */
  owner: string | null;
  toolUseId?: string;
  error?: string;
}

/** How a task's work ended; `text` is the result or what there was. */
export interface TaskEnd {
  status: 'completed' | 'failed' | 'killed';
  /** The finer word, where it differs from the status. */
  outcome?: OutcomeKind;
  text: string;
  reason?: string;
}

export interface TaskHandle {
  readonly id: string;
  readonly outputFile: string;
  status(): TaskStatus;
  result(): Promise<TaskEnd>;
  kill(reason: string): Promise<void>;
}

export interface TaskSpec {
  kind: TaskKind;
  description: string;
  owner: string | null;
  toolUseId?: string;
  /** Does the work until it ends or the signal fires; writes its output to the file as it comes. */
  run(task: { id: string; outputFile: string; signal: AbortSignal }): Promise<TaskEnd>;
}

/** The part of the task registry that tools see. */
export interface TaskStarter {
  spawn(spec: TaskSpec): TaskHandle;
  find(id: string): TaskHandle | undefined;
  /** All that are under way. Absent where there is no registry. */
  running?(): TaskView[];
}
