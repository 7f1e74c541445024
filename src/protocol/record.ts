import type { FileTouch } from './lease.ts';
import type { AssistantMessage, Usage, UserBlock, UserMessage } from './message.ts';
import type { PermissionMode } from './permission.ts';
import type { TaskEnd, TaskView } from './task.ts';
import type { TodoItem } from './tool.ts';

/**
 * One line of a transcript. The format is ours and versioned (`docs/formats.md`); the fields of message
 * records are those that readers of the ecosystem's transcripts expect.
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
  /** True in the transcript of anybody but the lead. */
  isSidechain: boolean;
  /** The message that a compaction kept and recorded again as this one. A copy's usage is nil: it was paid for once. */
  copyOf?: string;
}

/** Who is behind a user-role message. Only `human` is a person. */
export type Origin =
  | { kind: 'human' }
  | { kind: 'tool-results' }
  | { kind: 'task-notification'; runId: string }
  /** Something that a task noticed and that is not its end. */
  | { kind: 'task-event'; runId: string }
  /** What the agent that started this one wants of it. */
  | { kind: 'delegation' }
  /** Another agent's words; `from` is the harness's knowledge, not the sender's claim. */
  | { kind: 'mail'; from: string; id: string }
  /** Stands for everything that was said before it. */
  | { kind: 'compaction'; carried: CarriedState }
  | { kind: 'harness' };

/** What the harness itself knows and carries over a compaction, so that the next one finds it again. */
export interface CarriedState {
  todos: TodoItem[];
  /** Least recently used first. */
  files: { path: string; changed: boolean }[];
  /** What was asked for before, oldest first; long ones are shortened. */
  prompts: string[];
}

export interface UserRecord extends RecordBase {
  type: 'user';
  message: UserMessage;
  origin: Origin;
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
  forkedFrom?: { sessionId: string; messageUuid: string | null };
}

/** What was in force from here on; the last one counts on resume. */
export interface StateRecord {
  type: 'session-state';
  timestamp: string;
  model: string;
  permissionMode: PermissionMode;
  cwd: string;
  /** The definition that the main agent ran as. */
  agent?: string;
  /** There where the lead only directs others. */
  sessionMode?: 'coordinator';
  /** In plan mode: the file that the plan is written to. */
  planFile?: string;
}

/** Where a file's earlier content is kept, written before the edit that changes it. */
export interface FileHistoryRecord {
  type: 'file-history';
  timestamp: string;
  toolUseId: string;
  path: string;
  /** Hash naming the kept bytes; null when the file did not exist. */
  before: string | null;
  /** The same of what is there afterwards, where it is known. An edit that failed leaves `before`. */
  after?: string | null;
  /** Its permission bits before, where there was a file and they are known. */
  mode?: number;
  /** The same of what is there afterwards. Absent: they stayed, or are not known where there was no file before. */
  modeAfter?: number;
  /** Of the first record of a file that was there: when it had last been changed, by the file system. */
  changedAt?: string;
  /** `before` is what git's index named: a command changed the file before its own content was recorded. */
  isFromGit?: true;
  /** The agent whose edit it was; absent for the lead. */
  agentId?: string;
  /**
   * Absent for an agent's edit. `shell`: a command changed it; `outside`: nobody knows who did, since it was noticed
   * between two commands; `rewind`: it was put back.
   */
  cause?: FileChangeCause;
}

/** A command that may have written was looked after: what it changed is in the `file-history` records before this one. */
export interface CommandFilesRecord {
  type: 'command-files';
  timestamp: string;
  toolUseId: string;
  agentId?: string;
  /** How many files it changed of those that are covered. */
  files: number;
  /** Paths that are not covered and changed meanwhile, such as ignored ones: the first of them. */
  uncovered?: string[];
  /** Why more may have changed than was seen. */
  unseen?: string;
  /** What it did to git's own data that cannot be undone, in sentences. */
  lost?: string[];
  /** What it did to git's own data that was put right, or that one command brings back, in sentences. */
  repaired?: string[];
  /** Where it moved references of git: the first of them. A commit or the name of another reference; null for none. */
  references?: { root: string; name: string; before: string | null; after: string | null }[];
}

export type FileChangeCause = 'shell' | 'outside' | 'rewind';

/**
 * Somebody went back to an earlier point. Nothing before it goes: what it puts back follows as `file-history`, and the
 * conversation goes on from `head`. Written twice: before anything is done and, with `isDone`, after everything is.
 */
export interface RewindRecord {
  type: 'rewind';
  uuid: string;
  timestamp: string;
  sessionId: string;
  /** The prompt, or the earlier rewind, whose beginning was gone back to. */
  to: string;
  /** The last message of the conversation from here on; null: it is empty. Absent where it stays as it is. */
  head?: string | null;
  /** The last message of the conversation before. */
  from: string | null;
  /** How many files are to be put back. */
  files: number;
  isDone?: true;
}

/** Files that agents wrote were changed past the tools that write files, while this call of this agent ran. */
export interface FilesTouchedRecord {
  type: 'files-touched';
  timestamp: string;
  /** Absent for the lead. */
  agentId?: string;
  toolUseId: string;
  files: FileTouch[];
}

/** A person's or program's name for the session. */
export interface TitleRecord {
  type: 'custom-title';
  customTitle: string;
  sessionId: string;
}

export type CompactionTrigger = 'auto' | 'manual';

/**
 * From here on a summary stands for the conversation so far. The messages that it names follow it in the file; the
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
  /** Copies of the messages that stay in the context, behind the summary. */
  keptUuids: string[];
  /** What writing the summary took, and who wrote it. */
  model: string;
  usage: Usage;
}

/** A background task began or ended. What the agent was told of it is a message, with the task's run in its origin. */
export interface TaskRecord {
  type: 'task-state';
  timestamp: string;
  task: TaskView;
  /** With an end state: the result, stored before anybody is told of it. A long text is shortened; the output file has it all. */
  end?: TaskEnd;
}

/**
 * What an agent is, in its own transcript: enough to go on with it later as the same agent. The last one counts.
 */
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
  tools: string[];
  cwd: string;
  owner: string | null;
  toolUseId: string;
  depth: number;
  /** Absent for a fork, whose prompt is its parent's. */
  system?: string[];
  /** For a fork: the parent's message up to which it inherits. */
  inherits?: { agentId: string | null; messageUuid: string };
  /** Where it works apart from everybody else. */
  worktree?: AgentWorktree;
}

/** An agent's own worktree: enough to go on in it, or to make it again at its branch. */
export interface AgentWorktree {
  slug: string;
  path: string;
  branch: string;
  /** The commit that work began from. */
  base: string;
  /** The git directory that it shares with the main checkout, and that checkout. */
  common: string;
  main: string;
  createdAt: string;
}

/** What waits for an agent and was acknowledged. It has been read when there is a message with this uuid. */
export interface LetterRecord {
  type: 'letter';
  timestamp: string;
  sessionId: string;
  messageUuid: string;
  content: UserBlock[];
  origin: Origin;
}

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
  | LetterRecord;
