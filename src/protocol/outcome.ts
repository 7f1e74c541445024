import type { Usage } from './message.ts';
import type { ModelFailure } from './model.ts';

/**
 * How a run of an agent ended. An empty or cut-off answer is never "completed". `unfinished` is for a whole one-shot run:
 * the lead has answered, but its background agents were ended at the limit of the wait for them.
 */
export const outcomeKinds = [
  'completed',
  'truncated',
  'out_of_turns',
  'out_of_budget',
  'timed_out',
  'unfinished',
  'interrupted',
  'failed',
  'killed',
] as const;

export type OutcomeKind = (typeof outcomeKinds)[number];

export interface Outcome {
  kind: OutcomeKind;
  /**
   * The last assistant text: the answer when completed, else what was said so far. Preceded by the answers that the same
   * run had given when a message or the end of a task made it continue.
   */
  text: string;
  /** Why, in a sentence, for every kind but `completed`. */
  reason?: string;
  /** The model request's failure, if that is the cause. */
  failure?: ModelFailure;
  /** The answer in the requested form. */
  output?: unknown;
  /** Set when such an answer was requested and did not come: `failed`, and `reason` says why. */
  outputMissing?: true;
  turns: number;
  usage: Usage;
}
