/** How much a model should think, as one of the usual words or as a number of tokens. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Levels that a provider may take, lowest first. */
export type EffortLevel = (typeof efforts)[number];

export type Effort = EffortLevel | number;

/** The levels that a session's model takes, and the one that the user chose. */
export interface EffortChoice {
  chosen: EffortLevel | null;
  levels: readonly EffortLevel[];
}
