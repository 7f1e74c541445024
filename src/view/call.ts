import type { RuleBehaviour } from '../protocol/permission.ts';
import type { AgentSummary } from './agent-summary.ts';
import type { Excerpt } from './excerpt.ts';

/** One tool call, from the answer that holds it to its result. */
export interface ShownCall {
  readonly id: string;
  /** Of the message that holds it: call ids alone may repeat. */
  readonly messageUuid: string;
  readonly toolName: string;
  /** One line: a path, a pattern, a command. Empty until it is known. */
  readonly summary: string;
  /** As the model wrote it, or as it was changed and then run; long strings in it are shortened. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly state: CallState;
  /** When it started running; before that, when it appeared. */
  readonly startedAt: number;
  /** Null until it has ended, and if it never ran. */
  readonly durationMs: number | null;
  /** The end of its output, while it runs. */
  readonly progress: string;
  readonly result: Excerpt | null;
  /** The change it would make to a file, and once it has ended, the change it made. */
  readonly diff: FileDiff | null;
  /** Why it was denied. */
  readonly denial: string | null;
  /** The judge's verdict in `auto` mode. */
  readonly verdict: { readonly behaviour: RuleBehaviour; readonly reason: string } | null;
  /** Messages from hooks about it. */
  readonly hooks: readonly string[];
  /** The agents it started, as they were when it ended. While it runs, `agentRows` has them. */
  readonly agents: readonly AgentSummary[];
}

export type CallState =
  /** For its turn. */
  | 'waiting'
  /** For the user. */
  | 'asking'
  | 'running'
  | 'done'
  | 'failed'
  | 'denied'
  /** No result is known: the run ended, or the session did. */
  | 'lost';

export interface FileDiff {
  readonly path: string;
  readonly isNew: boolean;
  readonly added: number;
  readonly removed: number;
  /** At most a few screens of it; `omitted` counts the lines left out. */
  readonly hunks: readonly DiffHunk[];
  readonly omitted: number;
}

export interface DiffHunk {
  /** 0 if unknown. */
  readonly oldStart: number;
  readonly newStart: number;
  /** Each begins with a blank, `-` or `+`. */
  readonly lines: readonly string[];
}
