import type { OutcomeKind } from '../protocol/outcome.ts';
import type { TaskStatus } from '../protocol/task.ts';

/** How many colours tell agents apart. The surface chooses the colours. */
export const colourCount = 8;

/** An agent without its conversation: a row, and its summary once it has ended. */
export interface AgentSummary {
  readonly id: string;
  readonly type: string;
  /** An address for messages. */
  readonly name: string | null;
  readonly description: string;
  /** 0 … `colourCount` - 1; unique while there are enough colours for all running agents. */
  readonly colour: number;
  readonly state: TaskStatus;
  /** A more specific word for its end. */
  readonly outcome: OutcomeKind | null;
  /** Why it ended, if it did not complete. */
  readonly reason: string | null;
  /** What the records say about the claims of its report: "2 of 3 confirmed, 1 contradicted". */
  readonly claims?: { readonly text: string; readonly isGood: boolean } | undefined;
  readonly isBackgrounded: boolean;
  /** How often it was started or resumed. The counts below cover all of its runs. */
  readonly runs: number;
  /** Of the newest run. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** A kill ended it, some time after `endedAt`: nobody knows when. */
  readonly isCutOff?: true | undefined;
  /** Duration of the runs before it. */
  readonly earlierMs: number;
  readonly toolUses: number;
  /** Tokens read and written in all its requests, according to the session's ledger, without those of agents it started. */
  readonly tokens: number;
  /** Its last action; empty at the start. */
  readonly activity: string;
}
