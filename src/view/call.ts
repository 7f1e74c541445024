import type { RuleBehaviour } from '../protocol/permission.ts';
import type { AgentSummary } from './agent-summary.ts';
import type { Excerpt } from './excerpt.ts';

/** One tool call, from the answer that holds it to its result. */
export interface ShownCall {
  readonly id: string;
  /** Of the message that holds it: ids of calls alone may come again. */
  readonly messageUuid: string;
  readonly toolName: string;
  /** One line: a path, a pattern, a command. Empty until it is known. */
  readonly summary: string;
  /** As the model wrote it, or as it was changed and then run; long texts in it are shortened. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly state: CallState;
  /** Since when it runs; of a call that does not run yet since when it was there. */
  readonly startedAt: number;
  /** Null until it has ended, and where it never ran. */
  readonly durationMs: number | null;
  /** The newest of what it prints, while it runs. */
  readonly progress: string;
  readonly result: Excerpt | null;
  /** What it would do to a file, and from its end on what it did. */
  readonly diff: FileDiff | null;
  /** Why it was not let run. */
  readonly denial: string | null;
  /** What the judge said of it in `auto` mode. */
  readonly verdict: { readonly behaviour: RuleBehaviour; readonly reason: string } | null;
  /** What hooks said about it. */
  readonly hooks: readonly string[];
  /** The agents that it started, as they were when it ended. While it runs `agentRows` has them. */
  readonly agents: readonly AgentSummary[];
}

export type CallState =
  /** For its turn. */
  | 'waiting'
  /** For a person. */
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
  /** At most a screen or a few of it; `omitted` counts the lines that are not here. */
  readonly hunks: readonly DiffHunk[];
  readonly omitted: number;
}

export interface DiffHunk {
  /** 0 where it is not known. */
  readonly oldStart: number;
  readonly newStart: number;
  /** Each begins with a blank, `-` or `+`. */
  readonly lines: readonly string[];
}
