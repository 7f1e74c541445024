import type { Question, RuleBehaviour } from './permission.ts';

/**
 * The port to whoever judges in `auto` mode what rules leave open. It is given what the user said and what the agent
 * called, never what a tool returned: that may be written by anybody.
 */
export interface Judge {
  /** `ask` is the answer to all that it cannot tell. Never rejects. */
  judge(subject: JudgedCall, signal: AbortSignal): Promise<Verdict>;
}

export interface JudgedCall {
  question: Question;
  /** Oldest first; without the call itself. */
  history: readonly JudgedItem[];
}

export type JudgedItem =
  | { kind: 'user'; text: string }
  | { kind: 'call'; tool: string; input: Readonly<Record<string, unknown>> };

export interface Verdict {
  behaviour: RuleBehaviour;
  reason: string;
}
