import type { Effort, EffortLevel } from './effort.ts';
import type { CallBegunRecord, EpochRecord, LetterOverRecord, PromptFields } from './journal-record.ts';
import type { FileTouch } from './lease.ts';
import type { AssistantMessage, Usage, UserBlock, UserMessage } from './message.ts';
import type { Suspension, Thinking, ToolSpec } from './model.ts';
import type { MovedRecord } from './moved-record.ts';
import type { PermissionMode } from './permission.ts';
import type { CommandReceipt, ReportRecord } from './receipt.ts';
import type { KeptWorktree, TaskEnd, TaskView } from './task.ts';
import type { TodoItem } from './tool.ts';

/**
 * One line of a transcript. The format is ours and versioned (`docs/formats.md`); the fields of message records are
 * those that readers of similar transcripts expect.
 */
export const transcriptFormat = 1;

interface RecordBase {
  uuid: string;
  /** The message before this one in its conversation; null for the first. */
  parentUuid: string | null;
  sessionId: string;
  /** ISO 8601, from the injected clock. */
  timestamp: string;
  /** The agent whose conversation this is; absent for the lead. */
  agentId?: string;
  /** True in the transcript of any agent but the lead. */
  isSidechain: boolean;
  /**
   * The message that a compaction kept and recorded again as this one. A copy's usage is zero: it was paid for once.
   */
  copyOf?: string;
  /** Of the process that wrote it; every record on disk has it. */
  epoch?: number;
}

/** The author of a user-role message. Only `human` is a person. */
export type Origin =
  | { kind: 'human' }
  | { kind: 'tool-results' }
  | { kind: 'task-notification'; runId: string }
  /** Something that a task noticed before its end. */
  | { kind: 'task-event'; runId: string }
  /** The task given by the agent that started this one. */
  | { kind: 'delegation' }
  /** Another agent's message; `from` is known to the harness, not claimed by the sender. */
  | { kind: 'mail'; from: string; id: string }
  /** Replaces everything that was said before it. */
  | { kind: 'compaction'; carried: CarriedState }
  | { kind: 'harness' };

/** State that the harness carries over a compaction, so that the next one finds it again. */
export interface CarriedState {
  todos: TodoItem[];
  /** Least recently used first. */
  files: { path: string; changed: boolean }[];
  /** Earlier prompts, oldest first; long ones are shortened. */
  prompts: string[];
}

export interface UserRecord extends RecordBase {
  type: 'user';
  message: UserMessage;
  origin: Origin;
  /** Of the command whose result this is. */
  receipt?: CommandReceipt;
}

export interface AssistantRecord extends RecordBase {
  type: 'assistant';
  message: AssistantMessage;
}

export type MessageRecord = UserRecord | AssistantRecord;

/** First line of every transcript. */
export interface HeaderRecord {
  type: 'cadre-transcript';
  format: number;
  sessionId: string;
  cwd: string;
  version: string;
  createdAt: string;
  agentId?: string;
  epoch?: number;
  forkedFrom?: { sessionId: string; messageUuid: string | null };
  /** The session is that of a teammate in a pane: its address. */
  teamMember?: string;
}

/** The state in force from here on; the last one applies on resume. */
export interface StateRecord {
  type: 'session-state';
  timestamp: string;
  model: string;
  permissionMode: PermissionMode;
  cwd: string;
  /** How much the lead thinks, if the user chose a level. */
  effort?: EffortLevel;
  /** The definition that the main agent ran as. */
  agent?: string;
  /** Present if the lead only directs other agents. */
  sessionMode?: 'coordinator';
  /** In plan mode: the file that the plan is written to. */
  planFile?: string;
  /** The session's limits, if they were given at its start: suspended work continues within them. */
  maxBudgetUsd?: number;
  maxTokens?: number;
  /** Present while the lead waits for a limit to reset: its run continues when the session is opened again. */
  suspended?: Suspension;
}

/** Where a file's earlier content is kept, written before the edit that changes it. */
export interface FileHistoryRecord {
  type: 'file-history';
  timestamp: string;
  toolUseId: string;
  path: string;
  /** Hash naming the kept bytes; null when the file did not exist. */
  before: string | null;
  /** The same for the content afterwards, if known. An edit that failed leaves `before`. */
  after?: string | null;
  /** Its permission bits before, if there was a file and they are known. */
  mode?: number;
  /** The same for afterwards. Absent: unchanged, or unknown if there was no file before. */
  modeAfter?: number;
  /** In the first record of an existing file: when it was last changed, by the file system. */
  changedAt?: string;
  /** `before` is what git's index named: a command changed the file before its own content was recorded. */
  isFromGit?: true;
  /** The agent whose edit it was; absent for the lead. */
  agentId?: string;
  /** Commands of several agents ran when the file changed: `agentId` is that of the one that started last. */
  isShared?: true;
  /**
   * Absent for an agent's edit. `shell`: a command changed it; `outside`: unknown, since it was noticed between two
   * commands; `rewind`: it was restored.
   */
  cause?: FileChangeCause;
}

/** A command that may have written was followed: its changes are in the `file-history` records before this one. */
export interface CommandFilesRecord {
  type: 'command-files';
  timestamp: string;
  toolUseId: string;
  agentId?: string;
  /** How many of the covered files it changed. */
  files: number;
  /** Paths that are not covered and changed meanwhile, such as ignored ones: the first of them. */
  uncovered?: string[];
  /** Why more may have changed than was seen. */
  unseen?: string;
  /** Its changes to git's own data that cannot be undone, in sentences. */
  lost?: string[];
  /** Its changes to git's own data that were repaired, or that one command restores, in sentences. */
  repaired?: string[];
  /** Where it moved references of git: the first of them. A commit or the name of another reference; null for none. */
  references?: { root: string; name: string; before: string | null; after: string | null }[];
  /** Content that it took out of git's index and that is in no commit: the first of it. */
  unstaged?: { root: string; path: string; mode: number; id: string }[];
  /** Merges, rebases and the like that it ended, with our copy of git's files about them, or began (null). */
  operations?: { root: string; kind: string; copy: string | null }[];
  /** Objects of git that what `repaired` offers needs. */
  gitObjects?: { root: string; ids: string[] }[];
}

export type FileChangeCause = 'shell' | 'outside' | 'rewind';

/**
 * The user went back to an earlier point. Nothing before it is deleted: the restored files follow as `file-history`,
 * and the conversation continues from `head`. Written twice: before anything is done and, with `isDone`, after
 * everything is.
 */
export interface RewindRecord {
  type: 'rewind';
  uuid: string;
  timestamp: string;
  sessionId: string;
  /** The prompt, or the earlier rewind, whose beginning was gone back to. */
  to: string;
  /** The last message of the conversation from here on; null: it is empty. Absent if it stays as it is. */
  head?: string | null;
  /** The last message of the conversation before. */
  from: string | null;
  /** How many files are to be restored. */
  files: number;
  isDone?: true;
}

/** Files that agents wrote were changed by other means than the file tools, while this call of this agent ran. */
export interface FilesTouchedRecord {
  type: 'files-touched';
  timestamp: string;
  /** Absent for the lead. */
  agentId?: string;
  toolUseId: string;
  files: FileTouch[];
}

/** A name for the session, given by a person or program. */
export interface TitleRecord {
  type: 'custom-title';
  customTitle: string;
  sessionId: string;
}

export type CompactionTrigger = 'auto' | 'manual';

/**
 * From here on a summary replaces the conversation so far. The messages that it names follow it in the file; the
 * summary has no parent, so that the chain from the end stops there. Until all of them are written nothing has changed.
 */
export interface CompactBoundaryRecord {
  type: 'compact-boundary';
  timestamp: string;
  sessionId: string;
  agentId?: string;
  trigger: CompactionTrigger;
  /** Tokens of context before and after, as far as they are known. */
  preTokens: number;
  postTokens: number;
  /** The last message of the conversation before. */
  logicalParentUuid: string | null;
  summaryUuid: string;
  /** Copies of the messages that stay in the context, after the summary. */
  keptUuids: string[];
  /** The usage of writing the summary, and the model that wrote it. */
  model: string;
  usage: Usage;
}

/** A background task began or ended. The agent's notification of it is a message, with the task's run in its origin. */
export interface TaskRecord {
  type: 'task-state';
  timestamp: string;
  task: TaskView;
  /**
   * With an end state: the result, stored before it is delivered. A long text is shortened; the output file has all of
   * it.
   */
  end?: TaskEnd;
  /** Never stored: what an agent without an end left in its worktree, as found when its session is resumed. */
  left?: KeptWorktree;
}

/** An agent's record in its own transcript: enough to resume it later as the same agent. The last one applies. */
export interface AgentRecord {
  type: 'agent-state';
  timestamp: string;
  agentId: string;
  agentType: string;
  source: 'delegate' | 'fork';
  description: string;
  name?: string;
  /** As it was resolved. */
  model: string;
  /** Of the call that started it; else that of its definition. */
  effort?: Effort | undefined;
  tools: string[];
  cwd: string;
  owner: string | null;
  toolUseId: string;
  depth: number;
  /** A fork's is its parent's, as it was sent. */
  system?: string[];
  /** For a fork: its tools and how it thinks, as they were sent. */
  sent?: { tools: ToolSpec[]; thinking: Thinking; effort?: EffortLevel | undefined };
  /** For a fork: the last of its parent's messages that it inherits. */
  inherits?: { agentId: string | null; messageUuid: string };
  /** Where it works apart from all other agents. */
  worktree?: AgentWorktree;
  /** The place that runs it, if that is not the session's own process; and the label of the workers that may. */
  runsAt?: string;
  host?: string;
}

/** An agent's own worktree: enough to continue in it, or to make it again at its branch. */
export interface AgentWorktree {
  slug: string;
  path: string;
  branch: string;
  /** The commit that work began from. */
  base: string;
  /** The git directory that it shares with the main checkout, and that checkout. */
  common: string;
  main: string;
  /** Other checkouts that its content came from. */
  starts?: readonly string[];
  createdAt: string;
  /** Where it stands and what it is held to, below `path`; its top unless given. */
  stands?: string | undefined;
  workspace?: string | undefined;
  /** The worktree that it is a scratch copy of: nothing in it is kept. */
  copyOf?: string | undefined;
}

/** A letter for an agent, or a prompt for the lead, that was acknowledged. It has been read when there is a message with this uuid. */
export interface LetterRecord extends PromptFields {
  type: 'letter';
  timestamp: string;
  sessionId: string;
  messageUuid: string;
  content: UserBlock[];
  origin: Origin;
}

export type { CallBegunRecord, EpochRecord, LetterOverRecord } from './journal-record.ts';
export type { MovedPrompt, MovedRecord, MovedTo } from './moved-record.ts';

export type TranscriptRecord =
  | HeaderRecord
  | MessageRecord
  | StateRecord
  | FileHistoryRecord
  | CommandFilesRecord
  | FilesTouchedRecord
  | RewindRecord
  | TitleRecord
  | CompactBoundaryRecord
  | TaskRecord
  | AgentRecord
  | LetterRecord
  | LetterOverRecord
  | EpochRecord
  | CallBegunRecord
  | MovedRecord
  | ReportRecord;
