import type { ImageBlock, TextBlock } from './message.ts';
import type { Answer, AnsweredBy, PermissionMode } from './permission.ts';

/** What a surface asks of a session. */
export type Command =
  /** While a run is under way a prompt steers it (next turn boundary) unless it asks to queue (a run of its own). */
  | {
      type: 'prompt';
      content: string | (TextBlock | ImageBlock)[];
      uuid?: string;
      delivery?: 'steer' | 'queue';
    }
  /** Ends the turn and its foreground work; background work goes on. */
  | { type: 'interrupt' }
  | { type: 'answer'; questionId: string; answer: Answer; by?: AnsweredBy }
  | { type: 'set_permission_mode'; mode: PermissionMode }
  | { type: 'set_model'; model: string | null }
  /** With `runId` only that run of it: an agent that was resumed since is left alone. */
  | { type: 'stop_task'; taskId: string; runId?: string }
  /** Lets the call that waits for a task go on without it; without an id all of them. */
  | { type: 'background_tasks'; toolUseId?: string }
  /** A person's own message to an agent, by id or name. */
  | { type: 'message_agent'; to: string; message: string }
  /** Replaces the conversation so far by a summary; `instructions` say what it should dwell on. */
  | { type: 'compact'; instructions?: string };
