import type { ResultContent } from './message.ts';
import type { Answer, PermissionMode, Question, Rule, RuleBehaviour } from './permission.ts';
import type { CompactionTrigger } from './record.ts';
import type { ToolResult } from './tool.ts';

/** The points at which a user's hooks may be heard. */
export const hookEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PermissionRequest',
  'Notification',
  'TaskCreated',
  'TaskCompleted',
] as const;

export type HookEvent = (typeof hookEvents)[number];

/**
 * One agent's hooks, at the points that other rooms name. A point that nobody listens at is absent, and so is the whole
 * for an agent without hooks: asking costs nothing then. No method rejects; a hook that fails is a notice.
 */
export interface Hooks {
  /** Before a call is judged. What it changes is judged and run in place of what the model wrote. */
  beforeTool?(call: HookedCall, at: HookPlace): Promise<BeforeTool>;
  afterTool?(call: HookedCall, end: HookedEnd, at: HookPlace): Promise<AfterTool>;
  afterToolFailure?(call: HookedCall, end: HookedEnd, at: HookPlace): Promise<AfterTool>;
  /** Before a question is put to a person. Undefined leaves it to the person. */
  permissionAsked?(question: Question, call: HookedCall, at: HookPlace): Promise<Answer | undefined>;
  promptSubmitted?(prompt: string, at: HookPlace): Promise<PromptWord>;
  /** After a compaction; the start of the session itself is heard with the first prompt. */
  sessionStarted?(source: SessionSource, at: HookPlace): Promise<Note[]>;
  sessionEnded?(reason: string): Promise<void>;
  agentStarted?(at: HookPlace): Promise<Note[]>;
  agentStopping?(stop: Stopping, at: HookPlace): Promise<StopWord>;
  compacting?(compaction: Compacting, at: HookPlace): Promise<{ refusal?: string }>;
  /** Nobody waits for it. */
  notified?(notification: { kind: string; message: string }, at: HookPlace): void;
  taskCreated?(item: HookedTask, at: HookPlace): Promise<{ refusal?: string }>;
  taskCompleted?(item: HookedTask, at: HookPlace): Promise<{ refusal?: string }>;
  /** The same, and more of them for as long as a skill runs. Absent where no skill has any. */
  extend?(more: readonly SkillHooks[]): Hooks;
  /** Ends what hooks of the agent's own still run. */
  close?(): void;
}

/** Hooks that a skill brings along, as they are written. */
export interface SkillHooks {
  name: string;
  file: string;
  isManaged: boolean;
  hooks: Readonly<Record<string, unknown>>;
}

/** A text for the model that says whose it is. It is ready to be added as it is. */
export type Note = string;

export interface HookPlace {
  cwd: string;
  permissionMode: PermissionMode;
  /** Ends the hooks that are waited for. */
  signal: AbortSignal;
}

export interface HookedCall {
  toolUseId: string;
  toolName: string;
  input: Record<string, unknown>;
  /** How much of the call a rule is about: none, some part (or what cannot be ruled out), all of it. */
  covers(rule: Rule): 'no' | 'part' | 'whole';
}

export interface HookedEnd {
  result: ToolResult;
  durationMs: number;
  isInterrupt: boolean;
}

export interface BeforeTool {
  /** `allow` may skip a question; it lifts no deny, no role, no ceiling. */
  decision?: {
    behaviour: RuleBehaviour;
    reason: string;
    /** Whose word it is, where that is not `PreToolUse`. */
    event?: HookEvent;
  };
  input?: Record<string, unknown>;
  /** To be read along with the call's result. */
  notes: Note[];
  /** Why the run must end after this message's calls. */
  stop?: string;
}

export interface AfterTool {
  /** In place of what the tool returned. */
  content?: ResultContent[];
  notes: Note[];
  stop?: string;
}

export interface PromptWord {
  /** Why the prompt is not taken. */
  refusal?: string;
  notes: Note[];
}

export type SessionSource = 'startup' | 'resume' | 'fork' | 'compact';

export interface Stopping {
  lastMessage: string;
  /** How often hooks have kept it from stopping before, in this run. */
  round: number;
  /** It ends whatever is said: it was interrupted, hit a limit or failed. */
  isForced: boolean;
}

export interface StopWord {
  /** What it should still do. */
  goOn?: Note;
}

export interface Compacting {
  trigger: CompactionTrigger;
  instructions?: string;
}

/** A to-do or a board item: what agents plan, not what runs in the background. */
export interface HookedTask {
  id: string;
  subject: string;
  description?: string;
  teammateName?: string;
  teamName?: string;
}
