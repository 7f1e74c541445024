import type { CostReport } from './cost.ts';
import type { HookEvent } from './hooks.ts';
import type { FileTouch, Lease } from './lease.ts';
import type { Usage } from './message.ts';
import type { ModelEvent, ModelFailure } from './model.ts';
import type { Outcome } from './outcome.ts';
import type { Decision, PermissionMode, Question, RuleBehaviour } from './permission.ts';
import type { CompactBoundaryRecord, CompactionTrigger, MessageRecord } from './record.ts';
import type { TaskEnd, TaskView } from './task.ts';
import type { TodoItem, ToolProgress } from './tool.ts';

/**
 * What happened, as a stream that every surface reads. `agentId` is null for the lead; the events of a
 * child carry the tool call that started it in `parentToolUseId`.
 */
export type AgentEvent = { agentId: string | null; parentToolUseId: string | null } & AgentEventBody;

export type AgentEventBody =
  /** A run of the loop begins: a prompt or an inbox message is being worked on. */
  | {
      type: 'run_started';
      model: string;
      permissionMode: PermissionMode;
      cwd: string;
      tools: string[];
      /** Of the model: tokens of context, input and output together. */
      contextWindow?: number;
      /** The MCP servers of the session, as they stand now. */
      mcpServers?: { name: string; status: string }[];
      /** Names of what a person can type behind a slash, and of the skills there are; absent where there are none. */
      slashCommands?: string[];
      skills?: string[];
    }
  | { type: 'turn_started'; turn: number }
  /** A piece of the model's answer. Pieces may be dropped for a slow reader; messages never are. */
  | { type: 'model_streamed'; event: ModelEvent }
  | { type: 'request_retried'; attempt: number; delayMs: number; failure: ModelFailure; usage?: Usage }
  | { type: 'request_waited'; reason: string; delayMs: number; isOver?: true }
  | { type: 'fallback_taken'; from: string; to: string; reason: string }
  /** A message joined the conversation. It is in the transcript before anything acts on it. */
  | { type: 'message_added'; record: MessageRecord; toolData?: unknown }
  | { type: 'compaction_started'; trigger: CompactionTrigger }
  /** The messages that replace the conversation so far. They are in the transcript before anything acts on them. */
  | {
      type: 'conversation_compacted';
      trigger: CompactionTrigger;
      preTokens: number;
      postTokens: number;
      durationMs: number;
      boundary: CompactBoundaryRecord;
      messages: MessageRecord[];
    }
  /** Somebody went back. `head` is the conversation's last message from here on; absent where it stays as it was. */
  | {
      type: 'session_rewound';
      /** The prompt that was gone back to. */
      to: string;
      head?: string | null;
      /** With `head`: what the next request takes of the context, as far as is known. */
      contextTokens?: number;
      restored: string[];
      removed: string[];
    }
  | { type: 'tool_started'; toolUseId: string; toolName: string; input: unknown; summary: string }
  | { type: 'tool_progressed'; toolUseId: string; toolName: string; progress: ToolProgress }
  | { type: 'tool_ended'; toolUseId: string; toolName: string; isError: boolean; durationMs: number }
  | { type: 'question_asked'; question: Question }
  | { type: 'question_answered'; questionId: string; behaviour: 'allow' | 'deny' }
  /** In `auto` mode: what the judge said of a call that no rule decides. */
  | { type: 'call_judged'; toolUseId: string; toolName: string; verdict: RuleBehaviour; reason: string }
  /** `answer`: the words of the no, where the call was asked about; `decision` then says why it was. */
  | {
      type: 'permission_denied';
      toolUseId: string;
      toolName: string;
      input: unknown;
      decision: Decision;
      answer?: string;
    }
  /** A hook's word stood for a person's answer. */
  | { type: 'question_skipped'; toolUseId: string; toolName: string; input: unknown; decision: Decision }
  /** A hook kept a prompt from the agent: it is in no conversation. */
  | { type: 'prompt_refused'; uuid?: string; reason: string }
  /** A hook of the user's runs. Exactly one end for every start. */
  | { type: 'hook_started'; hook: HookView }
  | { type: 'hook_progressed'; hook: HookView; stdout: string; stderr: string }
  | { type: 'hook_ended'; hook: HookView; end: HookEnd }
  | { type: 'todos_changed'; todos: TodoItem[] }
  /** The files that this agent has on lease now: all of them, none at the end of its run. */
  | { type: 'leases_changed'; leases: Lease[] }
  /** Files that agents wrote were changed past the tools that write files, while this agent's call ran. */
  | { type: 'files_touched'; toolUseId: string; files: FileTouch[] }
  | { type: 'task_changed'; task: TaskView; end?: TaskEnd }
  /** An agent has come further: its counts and last activities. */
  | { type: 'task_progressed'; task: TaskView }
  | { type: 'mode_changed'; permissionMode: PermissionMode }
  | { type: 'model_changed'; model: string; contextWindow?: number }
  | { type: 'state_changed'; state: SessionState }
  /** `debug` is for whoever looks for the reason of something: surfaces show it only when asked to. */
  | { type: 'notice_given'; level: 'debug' | 'info' | 'warning' | 'error'; text: string }
  /** The run is over and its outcome recorded. Exactly one for every `run_started`. `prompts`: whose answer it is. */
  | {
      type: 'run_ended';
      outcome: Outcome;
      prompts: string[];
      durationMs: number;
      modelMs: number;
      /** Of the whole session so far, with all its agents. With the lead's runs only: it is one bill. */
      cost?: CostReport;
    };

export type SessionState = 'idle' | 'running' | 'requires_action';

export interface HookView {
  id: string;
  event: HookEvent;
  /** The event and what it is about: `PreToolUse:Bash`. */
  name: string;
  /** Where it was written. */
  source: string;
  /** What to show while it runs. */
  status?: string;
  toolUseId?: string;
}

export interface HookEnd {
  outcome: 'success' | 'error' | 'cancelled';
  exitCode?: number;
  stdout: string;
  stderr: string;
  durationMs: number;
  /** What it decided, where it did: a word of its own, in a few words. */
  word?: string;
}
