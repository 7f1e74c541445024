import type { AgentEventBody, HookView } from '../protocol/event.ts';
import type { ToolResultBlock } from '../protocol/message.ts';
import type { OutcomeKind } from '../protocol/outcome.ts';
import type { CompactionTrigger, MessageRecord } from '../protocol/record.ts';
import type { AgentSummary } from './agent-summary.ts';
import type { ShownCall } from './call.ts';
import type { Excerpt } from './excerpt.ts';

/** The readable record of one agent and its harness. */
export interface ShownConversation {
  /** Finished: each is added once, at the end, and never changes. Only the oldest leave, see `left`. */
  readonly entries: readonly Entry[];
  /** How many older ones are no longer held. The index of `entries[0]` in the whole. */
  readonly left: number;
  readonly live: Live;
  /** How many are held before the oldest leave. */
  readonly most: number;
  /** Counts entries without a name, and the streamed blocks: pieces of those may be missed. */
  readonly serial: number;
  readonly streamed: number;
  /** Where stored records continue before the first entry; null if nothing is known to be before it. */
  readonly before: Before | null;
}

/** The state from which `prependRecords` continues. */
export interface Before {
  /** The message before the oldest one shown. */
  readonly uuid: string;
  /** That message itself, if it is a summary that was read without the record that says so. */
  readonly summary: MessageRecord | null;
  /** Results whose calls are before it. */
  readonly results: ReadonlyMap<string, StoredResult>;
}

export interface StoredResult {
  readonly block: ToolResultBlock;
  readonly at: number;
}

/** The live part, which changes with every event. */
export interface Live {
  /** Of the current run; 0 if none is running. */
  readonly turn: number;
  /** The streaming answer. */
  readonly blocks: readonly LiveBlock[];
  /** The calls of the newest answer, in its order, until they and all before them have ended. */
  readonly calls: readonly ShownCall[];
  /** Why nothing comes. */
  readonly wait: Wait | null;
  /** The user's hooks running now. */
  readonly hooks: readonly HookView[];
}

export type LiveBlock =
  /** Pieces may be missing if the reader was slow; the entry that replaces it is complete. */
  | { readonly kind: 'text' | 'thinking'; readonly id: string; readonly index: number; readonly text: string }
  /** A call that the model is still writing. `json` is the beginning of its input, `size` how long it is by now. */
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly index: number;
      readonly toolName: string;
      readonly json: string;
      readonly size: number;
    };

export type Wait =
  | { readonly kind: 'retry'; readonly attempt: number; readonly until: number; readonly reason: string }
  /** `suspended`: a limit that resets later; no request is sent until then. */
  | { readonly kind: 'limit' | 'suspended'; readonly until: number; readonly reason: string }
  | { readonly kind: 'compaction'; readonly since: number; readonly trigger: CompactionTrigger };

export type Entry = { readonly id: string; readonly at: number } & EntryBody;

export type EntryBody =
  /** A request of a user or a program; for an agent, also its initial prompt. */
  | {
      readonly kind: 'prompt';
      readonly from: 'person' | 'parent';
      readonly text: Excerpt;
      readonly images: number;
      /** Id of the message: the target of a rewind or a fork. */
      readonly uuid: string;
    }
  /** A command that the user ran in the shell. `reason`: how it failed, if it did. */
  | {
      readonly kind: 'ran';
      readonly command: string;
      readonly text: Excerpt;
      readonly reason: string | null;
    }
  /** Another agent's words. */
  | { readonly kind: 'mail'; readonly from: string; readonly text: Excerpt }
  /** The agent was notified about a task: its end, or something it noticed. One line. */
  | {
      readonly kind: 'notification';
      readonly about: 'end' | 'event';
      readonly taskId: string;
      readonly summary: string;
      /** If the task is a known agent. */
      readonly agent: AgentSummary | null;
    }
  /** The harness's own words to the model; most surfaces show none or one line of them. */
  | { readonly kind: 'reminder'; readonly text: Excerpt }
  | {
      readonly kind: 'text' | 'thinking';
      readonly text: string;
      /** Its original length, if its middle is left out. */
      readonly characters?: number;
      /** The block it was while it streamed; null if it was not seen streaming. */
      readonly liveId: string | null;
    }
  | { readonly kind: 'call'; readonly call: ShownCall }
  /** Calls of the Agent tool side by side in one answer. */
  | { readonly kind: 'agents'; readonly calls: readonly ShownCall[] }
  | { readonly kind: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string }
  /** A hook that said something or failed, not about a call. */
  | { readonly kind: 'hook'; readonly name: string; readonly isError: boolean; readonly text: string }
  /** A hook blocked a prompt. */
  | { readonly kind: 'refused'; readonly text: string }
  | {
      readonly kind: 'compaction';
      readonly trigger: CompactionTrigger;
      readonly preTokens: number;
      readonly postTokens: number;
      readonly summary: Excerpt;
    }
  /** The user rewound to the prompt whose uuid is `to`: the conversation, files, or both. */
  | {
      readonly kind: 'rewind';
      readonly to: string;
      /** Messages between that prompt and here are no longer part of the conversation. */
      readonly isConversation: boolean;
      readonly restored: readonly string[];
      readonly removed: readonly string[];
    }
  /** A run has ended. `reason`: what stopped it, for every kind but `completed`. */
  | {
      readonly kind: 'end';
      readonly outcome: OutcomeKind;
      readonly reason: string | null;
      readonly durationMs: number;
      /** What the user's request took as a whole. Null while its agents still run, and for agents. */
      readonly work: Work | null;
    };

/** From a request to the end of all agents that it started. */
export interface Work {
  readonly durationMs: number;
  /** Files that tools edited, outside worktrees. */
  readonly files: number;
  /** In millionths of a dollar; null if a price is unknown. */
  readonly microUsd: number | null;
}

/** An event of the loop, by its name. */
export type EventOf<Type extends AgentEventBody['type']> = Extract<AgentEventBody, { type: Type }>;
