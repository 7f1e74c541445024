import type { Usage } from './message.ts';
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

/** One run of a task. End states are final per run: going on with an agent opens another run under the same id. */
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
  /** False while the call that started it waits for it: its end is then that call's result, and nobody is notified. */
  isBackgrounded: boolean;
  /** Who stopped it, where somebody did. What a person stopped only a person goes on with. */
  stoppedBy?: 'user' | 'agent';
  /** The agent that started it has asked for its result and got it, before it was told of the end. */
  retrieved?: true;
  agent?: AgentFacts;
}

/** What a task that is an agent has besides. Its id is the agent's id. */
export interface AgentFacts {
  type: string;
  /** An address for messages. */
  name?: string;
  prompt: string;
  model: string;
  /** Agents above it; 1 for the lead's own. */
  depth: number;
  /** Where it works apart from everybody else. */
  worktree?: { path: string; branch: string };
  progress: AgentProgress;
}

export interface AgentProgress {
  toolUses: number;
  /** Of all requests of all its runs, as the session's book has them, without those of agents below it: what is paid for. */
  spentTokens: number;
  /** Of the newest request: each one repeats all before it, so that they are not added up. */
  inputTokens: number;
  /** Of all answers. */
  outputTokens: number;
  /** The newest last, five at most. */
  activities: string[];
}

/** How a task's work ended; `text` is the result or what there was. */
export interface TaskEnd {
  status: 'completed' | 'failed' | 'killed';
  /** The finer word, where it differs from the status. */
  outcome?: OutcomeKind;
  text: string;
  reason?: string;
  usage?: TaskUsage;
  /** Where its work is, if it worked in a worktree of its own and left something there. */
  worktree?: KeptWorktree;
}

export interface KeptWorktree {
  name: string;
  path: string;
  branch: string;
  files: { path: string; added: number; removed: number }[];
  /** In words: how many files and lines. */
  diffstat: string;
}

export interface TaskUsage {
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
  kill(reason: string, by?: 'user' | 'agent'): Promise<void>;
  /** Stops the waiting of the call that started it. False when it was in the background already, or is over. */
  moveToBackground(): boolean;
  isBackgrounded(): boolean;
  /** Resolves when it is in the background. */
  backgrounded(): Promise<void>;
  /** This agent has the result: where it is the one that is told of the end, it is not told the result again. */
  noteRetrieved(by: string | null): void;
}

export interface TaskSpec {
  kind: TaskKind;
  /** A new run of a task that there was: it keeps its id. */
  id?: string;
  description: string;
  owner: string | null;
  toolUseId?: string;
  /** False: the starting call waits for it. */
  background: boolean;
  agent?: AgentFacts;
  /** Resolves when it may begin, with what gives its place back at its end; until then it is pending. */
  ready?(signal: AbortSignal): Promise<() => void>;
  /** Does the work until it ends or the signal fires; writes its output to the file as it comes. */
  run(task: RunningTask): Promise<TaskEnd>;
}

/** What the runner of a task is given. */
export interface RunningTask {
  id: string;
  runId: string;
  outputFile: string;
  signal: AbortSignal;
  /** Says how far an agent has come. */
  progress(progress: AgentProgress): void;
  /** Tells the agent that started it of something that happened; the task goes on. */
  tell(text: string): void;
}

/** The part of the task registry that tools see. */
export interface TaskStarter {
  spawn(spec: TaskSpec): TaskHandle;
  find(id: string): TaskHandle | undefined;
  /** All that are under way. Absent where there is no registry. */
  running?(): TaskView[];
  /** A call that may become a task while it runs. Returns what takes the offer back. Absent where nobody could want it. */
  offer?(call: WaitingCall): () => void;
}

/** A call for which its agent waits, and which could go on without it. */
export interface WaitingCall {
  owner: string | null;
  toolUseId: string;
  /** It goes on as a task. False where it has just ended. */
  move(): boolean;
}
