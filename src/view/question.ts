import type { Question } from '../protocol/permission.ts';

/** One entry of the queue: a question, and the same one for other calls of the same agent. One answer settles all. */
export interface ShownQuestion {
  readonly kind: QuestionKind;
  /** The oldest; its id is what is answered. Who asks is its `asker`. */
  readonly question: Question;
  readonly repeats: readonly Question[];
  /** How often it is asked, itself included. */
  readonly count: number;
  /** Nobody waits for the asker: it opens no dialog by itself. */
  readonly isBackground: boolean;
}

export type QuestionKind =
  /** May this call run? */
  | 'permission'
  /** A plan is to be approved: `input.plan`, `input.planFilePath`. */
  | 'plan'
  /** The agent wants to know something: `input.questions`. */
  | 'choices'
  /** An MCP server wants to know something: `elicitation`. */
  | 'elicitation'
  /** The harness's own, about starting agents: what they may change, what they may cost. */
  | 'agents';
