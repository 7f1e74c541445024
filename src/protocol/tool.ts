import type { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { Fifos } from '../lib/files/fifo.ts';
import type { RealPath } from '../lib/files/real-places.ts';
import type { Result } from '../lib/result.ts';
import type { Secrets } from '../lib/secrets/secrets.ts';
import type { FileLeases } from './lease.ts';
import type { ResultContent } from './message.ts';
import type { Access, Risk, RuleBehaviour } from './permission.ts';
import type { CommandReceipt } from './receipt.ts';
import type { ConfinedCommand, Launch, ShellSandbox } from './sandbox.ts';
import type { TaskStarter } from './task.ts';

/**
 * What is left of a call that was begun and not finished. `harmless`: nothing. `repeatable`: whatever it did, running it again leads
 * to the same. `unsafe`: unknown.
 */
export type CallEffect = 'harmless' | 'repeatable' | 'unsafe';

/** What an input must look like: a form (`lib/form/form.ts`), or a zod schema. */
export interface InputSchema<Input = unknown> {
  safeParse(
    input: unknown,
  ):
    | { success: true; data: Input }
    | { success: false; error: { issues: readonly { path: PropertyKey[]; message: string }[] } };
  /** For an input that is known to fit. */
  parse(input: unknown): Input;
  /** `brief` is for a form; the others are for zod. */
  toJSONSchema(options?: {
    brief?: boolean;
    io?: 'input';
    override?: (about: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }) => void;
  }): object;
}

/** The input as its schema returns it. */
export type InputOf<Schema extends InputSchema> = Extract<
  ReturnType<Schema['safeParse']>,
  { success: true }
>['data'];

/**
 * A tool is a value: a name, a schema, what a call would touch, and a generator that does it. It lives with the thing
 * it drives and knows nothing of permissions, hooks or the loop.
 */
export interface Tool<Schema extends InputSchema = InputSchema> {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  /**
   * The schema for an input that the user changed when they allowed the call, if they may add what the model may not
   * give. If absent, the same as `schema`.
   */
  readonly answered?: InputSchema;
  /**
   * The call that a call of this tool represents, by the name of a tool that the model is not shown. That one is
   * judged, shown and run in its place. Undefined: it represents itself.
   */
  standsFor?(input: InputOf<Schema>): { name: string; input: Record<string, unknown> } | undefined;
  /** Pure. What the call would touch, judged before it runs; several accesses are judged together. */
  access(input: InputOf<Schema>, cwd: string): Access[];
  /** True when calls of this input may run in parallel with others: it changes nothing. */
  concurrent(input: InputOf<Schema>): boolean;
  /** Where `concurrent` does not tell: a call that runs beside others and changes something, or one that may be run twice. */
  effect?(input: InputOf<Schema>): CallEffect;
  /** One line for people, to follow the tool's name: a path, a pattern, a command. */
  summary(input: InputOf<Schema>): string;
  /**
   * Why the call must fail as things are, so that the user is not asked in vain. It only reads, and is called only if
   * the agent may read what the call touches.
   */
  foresee?(input: InputOf<Schema>, context: ToolContext): Promise<string | undefined>;
  /** Whether it only changes files that are there and that the agent has read: `explainUnread` is its failure otherwise. */
  changesRead?(input: InputOf<Schema>): boolean;
  /**
   * What the call would do as things are, for a person who is about to be asked, where its input does not say that. It
   * changes nothing that a person sees. Undefined where the input says it all.
   */
  preview?(input: InputOf<Schema>, context: ToolContext): Promise<CallPreview | undefined>;
  /** An expected failure is a result with `isError`; a throw is a bug. */
  run(input: InputOf<Schema>, context: ToolContext): AsyncGenerator<ToolProgress, ToolResult>;
}

export type CallPreview =
  | {
      /** Everything that a yes is for. */
      text: string;
      risk: Risk;
      /** What was shown, as data: the call gets it back (`ToolContext.previewed`) and does that and nothing else. */
      value: unknown;
    }
  /** Why the call cannot do anything, so that nobody is asked. */
  | { fails: string };

/** Why a file that the agent has not read is not changed. */
export function explainUnread(path: string): string {
  return `${path} has not been read yet. Read it first, then change it.`;
}

/** Keeps the schema's type while the tool is written as a plain value. */
export function defineTool<Schema extends InputSchema>(tool: Tool<Schema>): Tool<Schema> {
  return tool;
}

export interface ToolProgress {
  /** Newest output, for a live view only; never reaches the model. */
  text: string;
}

export interface ToolResult {
  content: ResultContent[];
  isError: boolean;
  /** Of a command that has ended. Recorded with the result, and never sent to a model. */
  receipt?: CommandReceipt;
  /** Structured form for programs (`tool_use_result` on the wire). */
  data?: unknown;
  /**
   * Labelled text of the harness that follows the content: memory for the files of this call, a skill. It is added as it is,
   * while `content` is escaped, so only parts that are escaped already (`knowledge/label.ts`) belong here.
   */
  notes?: readonly string[];
}

/** A tool's view of the agent that calls it. */
export interface ToolContext {
  readonly agentId: string | null;
  readonly toolUseId: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly directory: WorkingDirectory;
  /** Whether a file that a search finds may be shown. For files that the call did not name. */
  mayRead(path: string): boolean;
  /**
   * Where a path of this call led when it was judged: a tool opens that, by `lib/open-real.ts`, and never the path
   * itself. Undefined for a path that the call was not judged for.
   */
  readonly judged: (path: string) => RealPath | undefined;
  /** The value of the preview that was shown before this call was allowed; absent where nobody was asked. */
  readonly previewed?: unknown;
  /** For a preview that takes long: shown like the progress of a run. */
  readonly report?: (progress: ToolProgress) => void;
  /** No person has seen this call. */
  readonly unseen?: boolean;
  /** Why the agent's directory may not become this one; undefined if it may. If absent, it may go anywhere. */
  readonly moveRefusal?: (path: string) => string | undefined;
  /**
   * Whether a request may follow a server to another address, and into which networks. If absent, only to public ones.
   */
  readonly reach?: (url: string) => Reach;
  readonly files: FileStates;
  readonly history: FileHistory;
  readonly outputs: Outputs;
  readonly shell: ShellEnvironment;
  readonly tasks: TaskStarter;
  readonly todos: Todos;
  /** Keeps agents from overwriting each other's work. Absent if there is only one agent. */
  readonly leases?: FileLeases;
  /** Secrets that no text may show. Every result is masked; a tool that cuts or stores text masks it before that. */
  readonly secrets?: Secrets;
}

/** How far a request to an address may go. */
export interface Reach {
  /** As a call would be judged. `ask` for the address of the call itself means that a person has said yes. */
  behaviour: RuleBehaviour;
  reason: string;
  /** Whether it may lead to this machine or into a private network: only if the host was named for it. */
  privately: boolean;
}

/** The agent's working directory: `Bash` changes it, relative paths start from it. */
export interface WorkingDirectory {
  readonly root: string;
  readonly current: string;
  move(path: string): void;
}

/** The files that the agent has seen, by content hash, so that no edit is made blindly. */
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
 * Keeps a file's bytes before they are changed; null when there is no file yet. Resolves once they are safely kept.
 * After a failure the edit must not be made.
 */
export interface FileHistory {
  keep(path: string, before: FileContent, toolUseId: string, change?: FileChangeFacts): Promise<Result<void>>;
  /**
   * Looks at all files that were edited so far and records changes by others: before a command these are not the
   * command's, after it they are.
   */
  observe?(cause: 'shell' | 'outside', toolUseId: string): void;
  /**
   * For a command that may write, before it starts: what it could destroy is kept. Resolves when it may be prepared:
   * its `start` is called before it runs. Absent if there is no going back.
   */
  beginCommand?(command: {
    toolUseId: string;
    agentId: string | null;
    /** The command is no longer wanted: nothing is waited for. */
    signal?: AbortSignal;
  }): Promise<WatchedCommand>;
  /** A command may come soon: a first look at the files is started. */
  prepareCommands?(): void;
  /**
   * Records all changes by commands so far; after this time it continues beside other work. `isForRewind`: all files
   * are read, whatever their times say.
   */
  settleCommands?(limitMs?: number, isForRewind?: boolean): Promise<void>;
}

/** The bytes of a file, the target of a symbolic link, or null if there is nothing. */
export type FileContent = Uint8Array | { readonly link: string } | null;

/** A command whose changes are looked for when it has ended. */
export interface WatchedCommand {
  /** To be called right before it runs, if present: what it could change is looked at once more. */
  start?(): void;
  /** It continues in the background: other work runs beside it. */
  moveToBackground(): void;
  /** All its processes have ended. */
  end(): void;
  /** Notices for the user and the model, in sentences. To be read after its end. */
  notices(): Promise<readonly string[]>;
}

/** Other facts about a change that is about to be made. */
export interface FileChangeFacts {
  /** The new content; null if the file is removed. */
  after?: FileContent;
  /** The file's permissions before. */
  mode?: number;
  /** The new permissions, if they change too. */
  modeAfter?: number;
  /** ISO 8601: when it was last changed; only before anything of the file is known. */
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
  /** Absent if none is wanted. */
  readonly sandbox?: ShellSandbox;
  /**
   * Present for a call that is to be confined: everything it starts goes through here. `scratch`: a file it may write.
   */
  readonly confine?: (launch: Launch, scratch?: string) => Promise<Result<ConfinedCommand>>;
  /** Present for a call that runs outside the sandbox and must stay in these directories, which are real paths. */
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
