import type { Answer, Question } from '../protocol/index.ts';

/**
 * The session's one queue of questions. Any number may wait at once; each is answered by its id, and
 * the first answer counts. Where nobody attends, a question is denied at once with a reason.
 */
export class Approvals {
  readonly #waiting = new Map<string, { question: Question; settle: (answer: Answer) => void }>();

  #attended: boolean;

  constructor(attended: boolean) {
    this.#attended = attended;
  }

  /** Whoever answered is gone: what waits is denied, and so is all that comes. */
  leave(reason: string): void {
    this.#attended = false;
    for (const { settle } of [...this.#waiting.values()]) settle({ behaviour: 'deny', message: reason });
  }

  ask(question: Question, signal: AbortSignal): Promise<Answer> {
    if (!this.#attended) return Promise.resolve({ behaviour: 'deny', message: unattended(question) });
    if (signal.aborted) return Promise.resolve(interrupted);
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(question.id);
        resolve(answer);
      };
      const onAbort = () => settle(interrupted);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(question.id, { question, settle });
    });
  }

  /** False when the question is unknown or was answered before. */
  answer(questionId: string, answer: Answer): boolean {
    const entry = this.#waiting.get(questionId);
    entry?.settle(answer);
    return entry !== undefined;
  }

  waiting(): Question[] {
    return [...this.#waiting.values()].map((entry) => entry.question);
  }
}

const interrupted: Answer = { behaviour: 'deny', message: 'The user interrupted before answering.' };

function unattended(question: Question): string {
  return (
    `Nobody is there to approve this call (${question.decision.reason}). ` +
    'Do without it, or say in your answer what the user should allow.'
  );
}
