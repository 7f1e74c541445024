import type { AgentEventBody, HookView } from '../protocol/event.ts';
import type { ToolResultBlock } from '../protocol/message.ts';
import type { OutcomeKind } from '../protocol/outcome.ts';
import type { CompactionTrigger, MessageRecord } from '../protocol/record.ts';
import type { AgentSummary } from './agent-summary.ts';
import type { ShownCall } from './call.ts';
import type { Excerpt } from './excerpt.ts';

/** What one agent and its harness have said and done, for reading. */
export interface ShownConversation {
  /** Finished: each is added once, at the end, and never changes. Only the oldest leave, see `left`. */
  readonly entries: readonly Entry[];
  /** How many older ones are not held here any more. The place of `entries[0]` in the whole. */
  readonly left: number;
  readonly live: Live;
  /** How many are held before the oldest leave. */
  readonly most: number;
  /** Counts entries that have no name of their own, and the blocks that have streamed in: pieces of those may be missed. */
  readonly serial: number;
  readonly streamed: number;
  /** Where stored records go on before the first entry; null when nothing is known to be before it. */
  readonly before: Before | null;
}

/** What `prependRecords` needs to go on from. */
export interface Before {
  /** The message that stands before the oldest one shown. */
  readonly uuid: string;
  /** That message itself, where it is a summary that was read without the record which says so. */
  readonly summary: MessageRecord | null;
  /** Results whose calls stand before it. */
  readonly results: ReadonlyMap<string, StoredResult>;
}

export interface StoredResult {
  readonly block: ToolResultBlock;
  readonly at: number;
}

/** What is under way and changes with every event. */
export interface Live {
  /** Of the run that is under way; 0 when none is. */
  readonly turn: number;
  /** The answer that streams in. */
  readonly blocks: readonly LiveBlock[];
  /** The calls of the newest answer, in its order, until they and all before them have ended. */
  readonly calls: readonly ShownCall[];
  /** Why nothing comes. */
  readonly wait: Wait | null;
  /** The user's hooks that run now. */
  readonly hooks: readonly HookView[];
}

export type LiveBlock =
  /** Pieces may be missing where the reader was slow; the entry that takes its place is whole. */
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
  | { readonly kind: 'limit'; readonly until: number; readonly reason: string }
  | { readonly kind: 'compaction'; readonly since: number; readonly trigger: CompactionTrigger };

export type Entry = { readonly id: string; readonly at: number } & EntryBody;

export type EntryBody =
  /** What a person or a program asked; of an agent also what it was started with. */
  | {
      readonly kind: 'prompt';
      readonly from: 'person' | 'parent';
      readonly text: Excerpt;
      readonly images: number;
      /** Of the message: what a rewind or a fork goes back to. */
      readonly uuid: string;
    }
  /** A command that the person ran in a shell of their own. `reason`: how it ended, where not well. */
  | {
      readonly kind: 'ran';
      readonly command: string;
      readonly text: Excerpt;
      readonly reason: string | null;
    }
  /** Another agent's words. */
  | { readonly kind: 'mail'; readonly from: string; readonly text: Excerpt }
  /** The agent was told of a task: its end, or something that it noticed. One line. */
  | {
      readonly kind: 'notification';
      readonly about: 'end' | 'event';
      readonly taskId: string;
      readonly summary: string;
      /** Where the task is an agent that is known. */
      readonly agent: AgentSummary | null;
    }
  /** The harness's own words to the model; most surfaces show none or one line of them. */
  | { readonly kind: 'reminder'; readonly text: Excerpt }
  | {
      readonly kind: 'text' | 'thinking';
      readonly text: string;
      /** How long it was, where its middle is left out. */
      readonly characters?: number;
      /** The block that it was while it streamed in; null where it was not seen streaming. */
      readonly liveId: string | null;
    }
  | { readonly kind: 'call'; readonly call: ShownCall }
  /** Calls of the Agent tool that stood side by side in one answer. */
  | { readonly kind: 'agents'; readonly calls: readonly ShownCall[] }
  | { readonly kind: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string }
  /** A hook that said something or failed, and was about no call. */
  | { readonly kind: 'hook'; readonly name: string; readonly isError: boolean; readonly text: string }
  /** A hook kept a prompt from the agent. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'compaction';
      readonly trigger: CompactionTrigger;
      readonly preTokens: number;
      readonly postTokens: number;
      readonly summary: Excerpt;
    }
  /** Somebody went back to the prompt whose uuid is `to`: the conversation, files, or both. */
  | {
      readonly kind: 'rewind';
      readonly to: string;
      /** What was said between that prompt and here no longer counts. */
      readonly isConversation: boolean;
      readonly restored: readonly string[];
      readonly removed: readonly string[];
    }
  /** A run is over. `reason`: what stopped it, for every kind but `completed`. */
  | {
      readonly kind: 'end';
      readonly outcome: OutcomeKind;
      readonly reason: string | null;
      readonly durationMs: number;
    };

export type EntryKind = EntryBody['kind'];

/** An event of the loop, by its name. */
export type EventOf<Type extends AgentEventBody['type']> = Extract<AgentEventBody, { type: Type }>;
