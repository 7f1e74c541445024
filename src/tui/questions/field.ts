import type { Answer, Question } from '../../protocol/index.ts';

/** One question: a choice, several choices, or text. */
export interface Field {
  readonly title: string;
  readonly options: readonly Option[];
  /** Several may be chosen. */
  readonly isMany?: boolean;
}

export interface Option {
  /** Typed, it chooses the option; one character. */
  readonly key: string;
  readonly label: string;
  /** Used instead if there is little room. */
  readonly short?: string;
  /** The rule it would create, shown while the cursor is on it. */
  readonly grants?: string;
  /** It grants more than this once: its key only moves to it, and return chooses it. */
  readonly isLasting?: boolean;
  /** Text typed along with it, if any: a reason, free text. */
  readonly asks?: string;
}

/** The choice made in a field. */
export interface FieldAnswer {
  readonly keys: readonly string[];
  readonly text: string;
}

/** The next step once all fields are filled. */
export type DialogOutcome =
  | { kind: 'answer'; answer: Answer }
  /** Lets the user change the plan in an editor first. */
  | { kind: 'edit' }
  /** The dialog is set aside; the question keeps waiting. */
  | { kind: 'later' };

/** A question as a form. */
export interface Form {
  readonly question: Question;
  readonly fields: readonly Field[];
  /** The key of the answer the cursor starts on; the first one if absent. */
  readonly startsOn?: string;
  settle(given: readonly FieldAnswer[]): DialogOutcome;
}

export function answered(answer: Answer): DialogOutcome {
  return { kind: 'answer', answer };
}

export const saidNo = 'The user said no';

/** The agent reads exactly these words. */
export function denial(reason: string): Answer {
  const text = reason.trim();
  return { behaviour: 'deny', message: text === '' ? `${saidNo}.` : `${saidNo}: ${text}` };
}
