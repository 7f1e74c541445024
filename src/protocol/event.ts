import type { CostReport } from './cost.ts';
import type { HookEvent } from './hooks.ts';
import type { FileTouch, Lease } from './lease.ts';
import type {} from './message.ts';
import type { ModelEvent } from './model.ts';
import type { MovedTo } from './moved-record.ts';
import type { Outcome } from './outcome.ts';
import type { Decision, PermissionMode, Question, RuleBehaviour } from './permission.ts';
import type { PromptRefusal } from './prompt-refusal.ts';
import type { CompactBoundaryRecord, CompactionTrigger, MessageRecord } from './record.ts';
import type { TaskEnd, TaskView } from './task.ts';
import type { BoardItem, MailMessage, MailState, TeamView, WaitEdge } from './team.ts';
import type { CallEffect, TodoItem, ToolProgress } from './tool.ts';
import type { WorkflowCallView, WorkflowView } from './workflow.ts';

/**
 * What happened, as a stream that every surface reads. `agentId` is null for the lead; the events of a child carry the
 * tool call that started it in `parentToolUseId`.
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
      /** The model's context window in tokens, input and output together. */
      contextWindow?: number;
      /** The MCP servers of the session and their current status. */
      mcpServers?: { name: string; status: string }[];
      /** Names of the slash commands and of the skills; absent if there are none. */
      slashCommands?: string[];
      skills?: string[];
    }
  | { type: 'turn_started'; turn: number }
  /** A piece of the model's answer. Pieces may be dropped for a slow reader; messages never are. */
  | { type: 'model_streamed'; event: ModelEvent }
  | Extract<ModelEvent, { type: 'request_retried' }>
  | Extract<ModelEvent, { type: 'request_waited' }>
  | Extract<ModelEvent, { type: 'fallback_taken' }>
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
  /** The user went back. `head` is the conversation's last message from here on; absent if it stays as it was. */
  | {
      type: 'session_rewound';
      /** The prompt that was gone back to. */
      to: string;
      head?: string | null;
      /** With `head`: how much of the context the next request takes, as far as it is known. */
      contextTokens?: number;
      restored: string[];
      removed: string[];
    }
  /** Recorded before the tool runs, unless its effect is `harmless`. */
  | {
      type: 'tool_started';
      toolUseId: string;
      toolName: string;
      input: unknown;
      summary: string;
      effect?: CallEffect;
    }
  | { type: 'tool_progressed'; toolUseId: string; toolName: string; progress: ToolProgress }
  | { type: 'tool_ended'; toolUseId: string; toolName: string; isError: boolean; durationMs: number }
  | { type: 'question_asked'; question: Question }
  | { type: 'question_answered'; questionId: string; behaviour: 'allow' | 'deny' }
  /** In `auto` mode: the judge's opinion of a call that no rule decides. */
  | { type: 'call_judged'; toolUseId: string; toolName: string; verdict: RuleBehaviour; reason: string }
  /** `answer`: the text of the denial, if the call was asked about; `decision` then says why it was. */
  | {
      type: 'permission_denied';
      toolUseId: string;
      toolName: string;
      input: unknown;
      decision: Decision;
      answer?: string;
    }
  /** A hook answered in place of a person. */
  | { type: 'question_skipped'; toolUseId: string; toolName: string; input: unknown; decision: Decision }
  /** A hook blocked a prompt, or its slash command failed to start something: it is in no conversation. */
  | ({ type: 'prompt_refused'; uuid?: string } & PromptRefusal)
  /** A hook of the user's runs. Exactly one end for every start. */
  | { type: 'hook_started'; hook: HookView }
  | { type: 'hook_progressed'; hook: HookView; stdout: string; stderr: string }
  | { type: 'hook_ended'; hook: HookView; end: HookEnd }
  | { type: 'todos_changed'; todos: TodoItem[] }
  /** The files that this agent has on lease now: all of them, none at the end of its run. */
  | { type: 'leases_changed'; leases: Lease[] }
  /** Files that agents wrote were changed by other means than the file tools, while this agent's call ran. */
  | { type: 'files_touched'; toolUseId: string; files: FileTouch[] }
  | { type: 'task_changed'; task: TaskView; end?: TaskEnd }
  /** An agent made progress: its counts and last activities. */
  | { type: 'task_progressed'; task: TaskView }
  /** A team of this session was opened, or one of its members changed; undefined after its end. */
  | { type: 'team_changed'; team: TeamView | undefined }
  /** Mail between members, as far as this session has it in sight. */
  | { type: 'mail_moved'; mail: MailMessage; state: MailState }
  | { type: 'board_changed'; board: string; item: BoardItem }
  /** Members that wait for each other in a circle. Given once per circle. */
  | { type: 'circle_found'; edges: WaitEdge[] }
  /** A run of a workflow began, changed its phase or its counts, or ended. */
  | { type: 'workflow_changed'; workflow: WorkflowView }
  /** One of its calls waits, runs or has ended. */
  | { type: 'workflow_call_changed'; call: WorkflowCallView }
  | { type: 'mode_changed'; permissionMode: PermissionMode }
  | { type: 'model_changed'; model: string; contextWindow?: number }
  | { type: 'state_changed'; state: SessionState }
  /** The session continues elsewhere, and nothing more happens here; or, with a problem, it stopped and could not be sent. */
  | { type: 'session_moved'; to: MovedTo | null; problem?: string }
  /** `debug` is for users who investigate a problem: surfaces show it only when asked to. */
  | { type: 'notice_given'; level: 'debug' | 'info' | 'warning' | 'error'; text: string }
  /**
   * The run is over and its outcome recorded. Exactly one for every `run_started`. `prompts`: those that it answers.
   */
  | {
      type: 'run_ended';
      outcome: Outcome;
      prompts: string[];
      durationMs: number;
      modelMs: number;
      /** Of the whole session so far, with all its agents. Only with the lead's runs: it is one bill. */
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
  /** Text to show while it runs. */
  status?: string;
  toolUseId?: string;
}

export interface HookEnd {
  outcome: 'success' | 'error' | 'cancelled';
  exitCode?: number;
  stdout: string;
  stderr: string;
  durationMs: number;
  /** Its decision, if any, in a few words. */
  word?: string;
}
