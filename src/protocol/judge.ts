import type { Question, RuleBehaviour } from './permission.ts';

/**
 * The port to the judge that decides in `auto` mode what rules leave open. It sees what the user said and what the
 * agent called, never what a tool returned, which anyone may have written.
 */
export interface Judge {
  /** `ask` is the answer whenever it is not certain. Never rejects. */
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
