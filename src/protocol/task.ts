import type { Usage } from './message.ts';
import type { Suspension } from './model.ts';
import type { OutcomeKind } from './outcome.ts';
import type { AgentReport, CommandReceipt } from './receipt.ts';

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

/** Whether such a task is an agent of the session, with a transcript of its own. */
export function isAgentTask({ kind }: { kind: TaskKind }): boolean {
  return isSubAgent({ kind }) || kind === 'in_process_teammate';
}

/** An agent with a task that ends, here or on a worker. */
export function isSubAgent({ kind }: { kind: TaskKind }): boolean {
  return kind === 'local_agent' || kind === 'remote_agent';
}

export type TaskStatus = 'pending' | 'running' | 'completed' | 'failed' | 'killed';

/** Whether the agent that started it is notified of its end. A dream's result is for the user; a teammate reports by mail. */
export function isEndTold({ kind }: { kind: TaskKind }): boolean {
  return kind !== 'dream' && kind !== 'in_process_teammate';
}

/** One run of a task. End states are final per run: resuming an agent opens another run under the same id. */
export interface TaskView {
  id: string;
  runId: string;
  kind: TaskKind;
  status: TaskStatus;
  description: string;
  startedAt: string;
  endedAt?: string;
  outputFile: string;
  /** The agent that started it, and is notified of its end; null is the lead. */
  owner: string | null;
  toolUseId?: string;
  error?: string;
  /** False while the call that started it waits for it: its end is then that call's result, without a notification. */
  isBackgrounded: boolean;
  /**
   * Its agent sends nothing until then. At the end of a run: it was still waiting, and continues when its session is
   * opened again.
   */
  suspended?: Suspension;
  /** Who stopped it, if it was stopped. Only the user resumes what the user stopped. */
  stoppedBy?: 'user' | 'agent';
  /** It is idle: it runs again when there is something for it to do, and is no reason to wait. */
  isResting?: true;
  /** The agent that started it has already fetched its result, before it was notified of the end. */
  retrieved?: true;
  agent?: AgentFacts;
}

/** The additional fields of a task that is an agent. Its id is the agent's id. */
export interface AgentFacts {
  type: string;
  /** An address for messages. */
  name?: string;
  prompt: string;
  model: string;
  /** Agents above it; 1 for the lead's own. */
  depth: number;
  /** Its place in a team: `name@team`, and its colour. */
  member?: { address: string; colour: string };
  /** Where it works apart from all other agents. */
  worktree?: { path: string; branch: string };
  progress: AgentProgress;
}

export interface AgentProgress {
  toolUses: number;
  /** Of all requests of all its runs, as in the session's book, without those of agents below it: what is paid for. */
  spentTokens: number;
  /** The same of this run alone. */
  runTokens: number;
  /** The newest last, five at most. */
  activities: string[];
}

/** How a task's work ended; `text` is the result, or what there was of it. */
export interface TaskEnd {
  status: 'completed' | 'failed' | 'killed';
  /** The more precise outcome, if it differs from the status. */
  outcome?: OutcomeKind;
  text: string;
  reason?: string;
  usage?: TaskUsage;
  /** Of a background command. */
  receipt?: CommandReceipt;
  /** What an agent claimed in its report, and what the records say; absent if it only wrote prose. */
  report?: AgentReport;
  /** Where its work is, if it worked in its own worktree and left something there. */
  worktree?: KeptWorktree;
  /** The worktree that it had a scratch copy of, which was removed. */
  copyOf?: string;
}

export interface KeptWorktree {
  name: string;
  path: string;
  branch: string;
  files: { path: string; from?: string; added: number; removed: number }[];
  /** In words: how many files and lines. */
  diffstat: string;
}

export interface TaskUsage {
  /** Of all requests of the run, its own and those of agents below it: what is paid for. */
  totalTokens: number;
  toolUses: number;
  durationMs: number;
  /** Of all requests of the run together: what is paid for. */
  requests?: Usage;
  tools?: ToolCounts;
}

export interface ToolCounts {
  byName: Record<string, number>;
  linesAdded: number;
  linesRemoved: number;
}

export interface TaskHandle {
  readonly id: string;
  readonly kind: TaskKind;
  readonly runId: string;
  readonly outputFile: string;
  status(): TaskStatus;
  result(): Promise<TaskEnd>;
  kill(reason?: string, by?: 'user' | 'agent'): Promise<void>;
  /** Ends the wait of the call that started it. False when it was already in the background, or is over. */
  moveToBackground(): boolean;
  isBackgrounded(): boolean;
  /** Resolves when it is in the background. */
  backgrounded(): Promise<void>;
  /** This agent has the result: if it is the one to be notified of the end, the notification omits the result. */
  noteRetrieved(by: string | null): void;
}

export interface TaskSpec {
  kind: TaskKind;
  /** A new run of an earlier task: it keeps its id. */
  id?: string;
  description: string;
  owner: string | null;
  toolUseId?: string;
  /** False: the starting call waits for it. */
  background: boolean;
  agent?: AgentFacts;
  /** It runs elsewhere: when the session ends it continues there, without an end here. */
  outlives?: boolean;
  /** It continues a run that was suspended, and is so itself until its provider has accepted something. */
  suspended?: Suspension | undefined;
  /** Resolves when it may begin, with a function that frees its slot at its end; until then it is pending. */
  ready?(signal: AbortSignal): Promise<() => void>;
  /** Does the work until it ends or the signal fires; writes its output to the file as it comes. */
  run(task: RunningTask): Promise<TaskEnd>;
}

/** The context of a task's runner. */
export interface RunningTask {
  id: string;
  runId: string;
  outputFile: string;
  signal: AbortSignal;
  /** Its agent waits for a limit to reset; undefined: no longer. */
  suspend(suspension: Suspension | undefined): void;
  /** It becomes idle, or no longer is. */
  rest(isResting: boolean): void;
  /** Reports an agent's progress. */
  progress(progress: AgentProgress): void;
  /** Notifies the agent that started it of an event; the task continues. */
  tell(text: string): void;
}

/** The part of the task registry that tools see. */
export interface TaskStarter {
  spawn(spec: TaskSpec): TaskHandle;
  find(id: string): TaskHandle | undefined;
  /** All running tasks. Absent if there is no registry. */
  running?(): TaskView[];
  /**
   * A call that may become a task while it runs. Returns a function that withdraws the offer. Absent if that is not
   * possible.
   */
  offer?(call: WaitingCall): () => void;
}

/** A call that its agent waits for, and that could continue without it. */
export interface WaitingCall {
  owner: string | null;
  toolUseId: string;
  /** It continues as a task. False if it has just ended. */
  move(): boolean;
}
