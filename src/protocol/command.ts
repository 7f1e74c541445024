import type { EffortLevel } from './effort.ts';
import type { PromptBlock } from './message.ts';
import type { Answer, AnsweredBy, PermissionMode } from './permission.ts';

/** A surface's requests to a session. */
export type Command =
  /** During a run a prompt steers it (next turn boundary) unless it asks to queue (a separate run). */
  | {
      type: 'prompt';
      content: string | PromptBlock[];
      uuid?: string;
      delivery?: 'steer' | 'queue';
      /** Sent as it is: no slash commands, no files named with `@`. */
      isVerbatim?: boolean;
      /** Becomes part of the conversation and is no reason to run: the next prompt's run reads it. */
      isQuiet?: boolean;
    }
  /** Ends the turn and its foreground work; background work continues. */
  | { type: 'interrupt' }
  | { type: 'answer'; questionId: string; answer: Answer; by?: AnsweredBy }
  | { type: 'set_permission_mode'; mode: PermissionMode }
  | { type: 'set_model'; model: string | null }
  /** How much the session's own agent thinks; null leaves that to the model. */
  | { type: 'set_effort'; effort: EffortLevel | null }
  /** With `runId` only that run: an agent that was resumed since is not stopped. */
  | { type: 'stop_task'; taskId: string; runId?: string }
  /** Ends one call of a running workflow as `skipped`: its program continues without it. */
  | { type: 'skip_workflow_call'; runId: string; callId: string }
  /** Lets the call that waits for a task continue without it; without an id all of them. */
  | { type: 'background_tasks'; toolUseId?: string }
  /** The user's own message to an agent, by id or name. */
  | { type: 'message_agent'; to: string; message: string }
  /** Its next step is taken by a worker of an engine: one with this name or label. */
  | { type: 'move'; engine: string; to: string }
  /** Replaces the conversation so far by a summary; `instructions` say what to focus on. */
  | { type: 'compact'; instructions?: string };
