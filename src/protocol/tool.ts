import type { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { Fifos } from '../lib/files/fifo.ts';
import type { RealPath } from '../lib/files/real-places.ts';
import type { Result } from '../lib/result.ts';
import type { Secrets } from '../lib/secrets/secrets.ts';
import type { FileLeases } from './lease.ts';
import type { ResultContent } from './message.ts';
import type { Access, RuleBehaviour } from './permission.ts';
import type { ConfinedCommand, Launch, ShellSandbox } from './sandbox.ts';
import type { TaskStarter } from './task.ts';

/**
 * A tool is a value: a name, a schema, what a call would touch, and a generator that does it.
 * It lives with the thing it drives and knows nothing of permissions, hooks or the loop.
 */
export interface Tool<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  /**
   * What an input must be that the person changed when they allowed the call, where they may add what the model may
   * not give. Absent: the same as `schema`.
   */
  readonly answered?: z.ZodType;
  /**
   * The call that a call of this tool stands for, by the name of a tool that the model is not shown. That one is judged,
   * shown and run in its place. Undefined: it stands for itself.
   */
  standsFor?(input: z.output<Schema>): { name: string; input: Record<string, unknown> } | undefined;
  /** Pure. What the call would touch, judged before it runs; several accesses are judged together. */
  access(input: z.output<Schema>, cwd: string): Access[];
  /** True when calls of this input may run beside others: it changes nothing. */
  concurrent(input: z.output<Schema>): boolean;
  /** One line for people, to stand behind the tool's name: a path, a pattern, a command. */
  summary(input: z.output<Schema>): string;
  /**
   * Why the call must fail as things are, so that nobody is asked about it in vain. It only reads, and is asked only where
   * the agent may read what the call touches.
   */
  foresee?(input: z.output<Schema>, context: ToolContext): Promise<string | undefined>;
  /** An expected failure is a result with `isError`; a throw is a bug. */
  run(input: z.output<Schema>, context: ToolContext): AsyncGenerator<ToolProgress, ToolResult>;
}

/** Keeps the schema's type while the tool is written as a plain value. */
export function defineTool<Schema extends z.ZodType>(tool: Tool<Schema>): Tool<Schema> {
  return tool;
}

export interface ToolProgress {
  /** Newest output, for a live view only; never reaches the model. */
  text: string;
}

export interface ToolResult {
  content: ResultContent[];
  isError: boolean;
  /** Structured form for programs (`tool_use_result` on the wire). */
  data?: unknown;
  /**
   * Labelled text of the harness that follows the content: memory for the files of this call, a skill. It is added as it is,
   * while `content` is escaped, so only parts that are escaped already (`knowledge/label.ts`) belong here.
   */
  notes?: readonly string[];
}

/** All that a tool may use of the agent that calls it. */
export interface ToolContext {
  readonly agentId: string | null;
  readonly toolUseId: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly directory: WorkingDirectory;
  /** Whether a file that a search meets may be shown. Asked for files that nobody named. */
  mayRead(path: string): boolean;
  /**
   * Where a path of this call led when it was judged: that is what a tool opens, by `lib/open-real.ts`, and never the
   * path itself. Undefined for a path that the call was not judged for.
   */
  readonly judged: (path: string) => RealPath | undefined;
  /** No person has seen this call. */
  readonly unseen?: boolean;
  /** Why the agent's directory may not become this one; undefined where it may. Absent: it may go anywhere. */
  readonly moveRefusal?: (path: string) => string | undefined;
  /** Whether a request may go to an address that a server led to, and into which networks. Absent: only to public ones. */
  readonly reach?: (url: string) => Reach;
  readonly files: FileStates;
  readonly history: FileHistory;
  readonly outputs: Outputs;
  readonly shell: ShellEnvironment;
  readonly tasks: TaskStarter;
  readonly todos: Todos;
  /** Keeps agents from writing over each other. Absent where there is one agent only. */
  readonly leases?: FileLeases;
  /** What no text may show. Every result is masked; a tool that cuts or keeps text does it before that. */
  readonly secrets?: Secrets;
}

/** How far a request to an address may go. */
export interface Reach {
  /** As a call would be judged. `ask` for the address of the call itself means that a person has said yes. */
  behaviour: RuleBehaviour;
  reason: string;
  /** Whether it may lead to this machine or into a private network: only where the host was named for it. */
  privately: boolean;
}

/** The agent's working directory: `Bash` moves it, relative paths start from it. */
export interface WorkingDirectory {
  readonly root: string;
  readonly current: string;
  move(path: string): void;
}

/** What the agent has seen of each file, by content hash, so that no edit is made blindly. */
export interface FileStates {
  get(path: string): FileState | undefined;
  set(path: string, state: FileState): void;
  /** All of them, for a child that inherits what its parent knows. */
  all?(): ReadonlyMap<string, FileState>;
  /** The conversation in which they were seen is no longer the agent's. */
  forget?(): void;
}

export interface FileState {
  hash: string;
  /** The text as seen, kept when small, so that a refusal can show what changed since. */
  text?: string;
}

/**
 * Keeps a file's bytes before they are changed; null when there is no file yet. Resolves once they are safely
 * kept. After a failure the edit must not be made.
 */
export interface FileHistory {
  keep(path: string, before: FileContent, toolUseId: string, change?: FileChangeFacts): Promise<Result<void>>;
  /**
   * Looks at all files that were edited so far and notes what others have changed: before a command that is somebody
   * else's work, after it the command's.
   */
  observe?(cause: 'shell' | 'outside', toolUseId: string): void;
  /**
   * For a command that may write, before it starts: what it could destroy is kept. Resolves when it may be prepared: its
   * `start` is called before it runs. Absent where nobody can go back.
   */
  beginCommand?(command: {
    toolUseId: string;
    agentId: string | null;
    /** The command is not wanted any more: nothing is waited for. */
    signal?: AbortSignal;
  }): Promise<WatchedCommand>;
  /** A command may come soon: a first look at the files is begun. */
  prepareCommands?(): void;
  /**
   * Notes all that commands have changed so far; after this time it goes on beside other work. `isForRewind`: all files are
   * read, whatever their times say.
   */
  settleCommands?(limitMs?: number, isForRewind?: boolean): Promise<void>;
}

/** The bytes of a file, what a symbolic link names, or null where there is nothing. */
export type FileContent = Uint8Array | { readonly link: string } | null;

/** A command whose changes are looked for when it has ended. */
export interface WatchedCommand {
  /** To be called right before it runs, where present: what it could change is looked at once more. */
  start?(): void;
  /** Nobody waits for it any more: others work beside it. */
  moveToBackground(): void;
  /** All its processes are gone. */
  end(): void;
  /** What the user and the model must know at once, in sentences. To be asked after its end. */
  notices(): Promise<readonly string[]>;
}

/** What else is known of a change that is about to be made. */
export interface FileChangeFacts {
  /** What will be there; null where the file goes. */
  after?: FileContent;
  /** The file's permissions before. */
  mode?: number;
  /** What they will be, where they change too. */
  modeAfter?: number;
  /** ISO 8601: when it had last been changed; only before anything of the file is known. */
  changedAt?: string;
  agentId?: string | null;
  cause?: 'rewind';
}

/** Files for outputs that are too large for a context. */
export interface Outputs {
  /** Absolute path of a private file for this call's output; the directory exists. */
  pathFor(name: string): string;
}

/** The environment of shell commands, captured once per session. */
export interface ShellEnvironment {
  readonly shell: string;
  /** How much of their output enters the context. */
  readonly maxOutputCharacters: number;
  /** Pipes for their output. */
  readonly fifos: Fifos;
  /** Absent where none is wanted. */
  readonly sandbox?: ShellSandbox;
  /** There for a call that is to be confined: what it starts goes through here. `scratch`: a file it may write. */
  readonly confine?: (launch: Launch, scratch?: string) => Promise<Result<ConfinedCommand>>;
  /** There for a call that runs outside the sandbox and must stay in these directories, which are real paths. */
  readonly within?: readonly string[];
  environment(): Promise<Record<string, string>>;
}

export interface TodoItem {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
  activeForm?: string;
}

export interface Todos {
  replace(items: TodoItem[]): void;
}

export function textResult(text: string, data?: unknown): ToolResult {
  return { content: [{ type: 'text', text }], isError: false, ...(data === undefined ? {} : { data }) };
}

export function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
