import type { Answer, Question } from '../../protocol/index.ts';

/** One thing that is asked: a choice, several of them, or a text. */
export interface Field {
  readonly title: string;
  readonly options: readonly Option[];
  /** Several may be taken. */
  readonly isMany?: boolean;
}

export interface Option {
  /** Typed, it chooses the option; one character. */
  readonly key: string;
  readonly label: string;
  /** In its place where there is little room. */
  readonly short?: string;
  /** The rule that it would make, shown while the cursor is on it. */
  readonly grants?: string;
  /** It grants more than this once: its key only goes to it, and return takes it. */
  readonly isLasting?: boolean;
  /** What is typed along with it, where something is: a reason, words of one's own. */
  readonly asks?: string;
}

/** What was chosen in a field. */
export interface FieldAnswer {
  readonly keys: readonly string[];
  readonly text: string;
}

/** What is to be done when all fields are filled. */
export type DialogOutcome =
  | { kind: 'answer'; answer: Answer }
  /** Lets the person change the plan in an editor first. */
  | { kind: 'edit' }
  /** The dialog is put aside; the question goes on waiting. */
  | { kind: 'later' };

/** A question as a form. */
export interface Form {
  readonly question: Question;
  readonly fields: readonly Field[];
  /** The key of the answer that the cursor starts on; the first one without it. */
  readonly startsOn?: string;
  settle(given: readonly FieldAnswer[]): DialogOutcome;
}

export function answered(answer: Answer): DialogOutcome {
  return { kind: 'answer', answer };
}

export const saidNo = 'The user said no';

/** The words are those that the agent reads. */
export function denial(reason: string): Answer {
  const text = reason.trim();
  return { behaviour: 'deny', message: text === '' ? `${saidNo}.` : `${saidNo}: ${text}` };
}
