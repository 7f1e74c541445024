import type { OutcomeKind } from '../protocol/outcome.ts';
import type { TaskStatus } from '../protocol/task.ts';

/** How many colours tell agents apart. Which ones they are is the surface's affair. */
export const colourCount = 8;

/** What is known of an agent without its conversation: a row, and what stays of it when it has ended. */
export interface AgentSummary {
  readonly id: string;
  readonly type: string;
  /** An address for messages. */
  readonly name: string | null;
  readonly description: string;
  /** 0 … `colourCount` - 1; its own for as long as there are enough for all that are at work. */
  readonly colour: number;
  readonly state: TaskStatus;
  /** The finer word of an end. */
  readonly outcome: OutcomeKind | null;
  /** Why it ended as it did, where it was not completed. */
  readonly reason: string | null;
  readonly isBackgrounded: boolean;
  /** How often it was started or gone on with. What is counted below is counted over all of them. */
  readonly runs: number;
  /** Of the newest run. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** How long the runs before it took. */
  readonly earlierMs: number;
  readonly toolUses: number;
  /** Read and written in all its requests, as the session's book has them, without those of agents that it started. */
  readonly tokens: number;
  /** What it did last; empty at the start. */
  readonly activity: string;
}
