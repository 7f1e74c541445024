import type { Answer } from '../protocol/index.ts';

export type HookDecision = 'allow' | 'ask' | 'defer' | 'deny';

/** What one hook has to say, as far as its event lets it. Texts are bounded. */
export interface HookWord {
  /** It must not happen, or must be told to the model: why. */
  block?: string;
  /** The run must end: why. */
  stop?: string;
  decision?: HookDecision;
  reason?: string;
  /** In place of the call's input. */
  input?: Record<string, unknown>;
  /** For the model. */
  context?: string;
  /** In place of what the tool returned. */
  toolOutput?: unknown;
  answer?: Answer;
  /** For the user. */
  message?: string;
  /** What was wrong with the hook itself, for the user. It blocks nothing. */
  problem?: string;
  /** Its output is not to be shown. */
  isQuiet?: true;
}
