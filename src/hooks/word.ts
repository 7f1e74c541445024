import type { Answer } from '../protocol/index.ts';

export type HookDecision = 'allow' | 'ask' | 'defer' | 'deny';

/** The word of one hook, as far as its event allows. Text is bounded. */
export interface HookWord {
  /** Why it must not happen, or what must be explained to the model. */
  block?: string;
  /** Why the run must end. */
  stop?: string;
  decision?: HookDecision;
  reason?: string;
  /** Replaces the call's input. */
  input?: Record<string, unknown>;
  /** For the model. */
  context?: string;
  /** Replaces the tool's result. */
  toolOutput?: unknown;
  answer?: Answer;
  /** For the user. */
  message?: string;
  /** The problem with the hook itself, for the user. It blocks nothing. */
  problem?: string;
  /** Its output is not to be shown. */
  isQuiet?: true;
}
