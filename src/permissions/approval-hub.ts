import { orderFields } from '../lib/fields/same-value.ts';
import type { Answer, AnsweredBy, Question, Rule } from '../protocol/index.ts';

/** An answer and where it came from. */
export interface Settlement {
  answer: Answer;
  by: AnsweredBy;
  /** The rule that answered, if a rule did. */
  rule?: Rule;
}

/** One entry of the queue: a question and its repeats, which one answer settles together. */
export interface WaitingQuestion {
  readonly question: Question;
  /** Number of askers now, including the first. */
  readonly count: number;
  /** The same question from the same agent for other calls. */
  readonly repeats: readonly Question[];
}

export interface AskedQuestion {
  /** True when the same question is already waiting, so the answerer has already been notified. */
  readonly isRepeat: boolean;
  readonly settled: Promise<Settlement>;
}

/**
 * The queue of questions, for one session or several in a process. Nothing in it is ever overwritten; each entry is answered
 * by the id of any of its questions, and the first answer wins. It knows neither time nor permissions: the caller that queues
 * a question decides when it expires (`Approvals`).
 */
export class ApprovalHub {
  readonly #entries: Entry[] = [];
  readonly #listeners = new Set<(waiting: readonly WaitingQuestion[]) => void>();

  ask(question: Question): AskedQuestion {
    const key = questionKey(question);
    const before = this.#entries.find((entry) => entry.key === key);
    const { promise, resolve } = Promise.withResolvers<Settlement>();
    if (before) before.askers.push({ question, settle: resolve });
    else this.#entries.push({ key, askers: [{ question, settle: resolve }] });
    this.#tell();
    return { isRepeat: before !== undefined, settled: promise };
  }

  /** Settles the question with this id and all its repeats. False when it is unknown or already answered. */
  answer(questionId: string, answer: Answer, by: AnsweredBy = 'person'): boolean {
    const at = this.#entries.findIndex((entry) =>
      entry.askers.some(({ question }) => question.id === questionId),
    );
    const [entry] = at < 0 ? [] : this.#entries.splice(at, 1);
    for (const { settle } of entry?.askers ?? []) settle({ answer, by });
    if (entry) this.#tell();
    return entry !== undefined;
  }

  /** Settles one question alone because its asker no longer waits. Its repeats keep waiting. */
  withdraw(questionId: string, settlement: Settlement): boolean {
    for (const [at, entry] of this.#entries.entries()) {
      const index = entry.askers.findIndex(({ question }) => question.id === questionId);
      if (index < 0) continue;
      const [asker] = entry.askers.splice(index, 1);
      if (entry.askers.length === 0) this.#entries.splice(at, 1);
      asker?.settle(settlement);
      this.#tell();
      return true;
    }
    return false;
  }

  /** Oldest first. */
  waiting(): WaitingQuestion[] {
    return this.#entries.flatMap(({ askers }) => {
      const [first, ...others] = askers.map(({ question }) => question);
      return first ? [{ question: first, count: askers.length, repeats: others }] : [];
    });
  }

  /** Called at every change from now on. The returned function unsubscribes. */
  subscribe(listener: (waiting: readonly WaitingQuestion[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #tell(): void {
    if (this.#listeners.size === 0) return;
    const waiting = this.waiting();
    for (const listener of [...this.#listeners]) listener(waiting);
  }
}

interface Entry {
  key: string;
  askers: { question: Question; settle: (settlement: Settlement) => void }[];
}

/** Equal for questions that one answer settles together. */
export function questionKey({ sessionId, agentId, toolName, cwd, input, preview }: Question): string {
  return JSON.stringify([sessionId, agentId, toolName, cwd, orderFields(input), preview]);
}
