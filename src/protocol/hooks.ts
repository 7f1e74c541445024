import type { ResultContent } from './message.ts';
import type { Answer, PermissionMode, Question, Rule, RuleBehaviour } from './permission.ts';
import type { CompactionTrigger } from './record.ts';
import type { ToolResult } from './tool.ts';

/** The points at which a user's hooks are asked. */
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
 * One agent's hooks, at the points that other rooms name. A point without hooks is absent, and so is the whole value
 * for an agent without hooks: asking then costs nothing. No method rejects; a hook that fails is a notice.
 */
export interface Hooks {
  /** Before a call is judged. A changed input is judged and run instead of the model's. */
  beforeTool?(call: HookedCall, at: HookPlace): Promise<BeforeTool>;
  afterTool?(call: HookedCall, end: HookedEnd, at: HookPlace): Promise<AfterTool>;
  afterToolFailure?(call: HookedCall, end: HookedEnd, at: HookPlace): Promise<AfterTool>;
  /** Before a question is put to a person. Undefined leaves it to the person. */
  permissionAsked?(question: Question, call: HookedCall, at: HookPlace): Promise<Answer | undefined>;
  promptSubmitted?(prompt: string, at: HookPlace): Promise<PromptWord>;
  /** After a compaction; the start of the session itself is reported with the first prompt. */
  sessionStarted?(source: SessionSource, at: HookPlace): Promise<Note[]>;
  agentStarted?(at: HookPlace): Promise<Note[]>;
  agentStopping?(stop: Stopping, at: HookPlace): Promise<StopWord>;
  compacting?(compaction: Compacting, at: HookPlace): Promise<{ refusal?: string }>;
  /** The run does not wait for it. */
  notified?(notification: { kind: string; message: string }, at: HookPlace): void;
  taskCreated?(item: HookedTask, at: HookPlace): Promise<{ refusal?: string }>;
  taskCompleted?(item: HookedTask, at: HookPlace): Promise<{ refusal?: string }>;
  /** The same, and more of them while a skill runs. Absent if no skill has any. */
  extend?(more: readonly SkillHooks[]): Hooks;
  /** Ends the agent's own hooks that still run. */
  close?(): void;
}

/** Hooks of a skill, as written. */
export interface SkillHooks {
  name: string;
  file: string;
  isManaged: boolean;
  hooks: Readonly<Record<string, unknown>>;
}

/** Text for the model that names its source. It can be added as it is. */
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
  /** `allow` may skip a question; it overrides no deny, no role, no ceiling. */
  decision?: {
    behaviour: RuleBehaviour;
    reason: string;
    /** The event that decided, if it is not `PreToolUse`. */
    event?: HookEvent;
  };
  input?: Record<string, unknown>;
  /** To be read together with the call's result. */
  notes: Note[];
  /** Why the run must end after this message's calls. */
  stop?: string;
}

export interface AfterTool {
  /** Replaces the tool's result. */
  content?: ResultContent[];
  notes: Note[];
  stop?: string;
}

export interface PromptWord {
  /** Why the prompt is not accepted. */
  refusal?: string;
  notes: Note[];
}

export type SessionSource = 'startup' | 'resume' | 'fork' | 'compact';

export interface Stopping {
  lastMessage: string;
  /** How often hooks have kept it from stopping before, in this run. */
  round: number;
  /** It ends whatever hooks say: it was interrupted, hit a limit or failed. */
  isForced: boolean;
}

export interface StopWord {
  /** The work that is left to do. */
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
