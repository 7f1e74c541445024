import type { Question } from '../protocol/permission.ts';

/** One entry of the queue: a question, and the same one for other calls of the same agent. One answer settles all. */
export interface ShownQuestion {
  readonly kind: QuestionKind;
  /** The oldest; the answer goes to its id. Its `asker` says which agent asks. */
  readonly question: Question;
  readonly repeats: readonly Question[];
  /** How often it is asked, itself included. */
  readonly count: number;
  /** No turn waits for the asker: it opens no dialog on its own. */
  readonly isBackground: boolean;
}

export type QuestionKind =
  /** May this call run? */
  | 'permission'
  /** A plan to approve: `input.plan`, `input.planFilePath`. */
  | 'plan'
  /** A question of the agent: `input.questions`. */
  | 'choices'
  /** A question of an MCP server: `elicitation`. */
  | 'elicitation'
  /** The harness's own, about starting agents: their permissions and budget. */
  | 'agents';
