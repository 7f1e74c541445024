import type { Clock } from '../lib/clock.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import type { Answer, AnsweredBy, Command, Decision, Question, Rule } from '../protocol/index.ts';
import type { ApprovalHub, Settlement, WaitingQuestion } from './approval-hub.ts';

/**
 * One session's side of the queue: whether a user is attending, and how long a question waits. Without one, a question is
 * denied at once with a reason the model can act on; nothing ever waits for an answer that cannot come.
 */
export class Approvals {
  #attended: boolean;
  #elicited: boolean;
  readonly #own = new Set<string>();

  constructor(
    /** The queue that holds this session's questions, possibly beside those of other sessions. */
    readonly hub: ApprovalHub,
    private readonly clock: Clock,
    attended: boolean,
    /** What MCP servers ask is answered, even if nothing else is. */
    elicited = false,
  ) {
    this.#attended = attended;
    this.#elicited = elicited;
  }

  get attended(): boolean {
    return this.#attended;
  }

  /** Whether an answer to this one can come. */
  mayAnswer({ elicitation }: Question): boolean {
    return this.#attended || (this.#elicited && elicitation !== undefined);
  }

  /** The answering user is gone: waiting questions are denied, and so are all later ones. */
  leave(reason: string): void {
    this.#attended = false;
    this.#elicited = false;
    for (const id of [...this.#own])
      this.hub.withdraw(id, { answer: { behaviour: 'deny', message: reason }, by: 'unattended' });
  }

  /** `told` is called when the question is new to the answerer. */
  async ask(question: Question, signal: AbortSignal, told?: () => void): Promise<Settlement> {
    if (!this.mayAnswer(question))
      return { answer: { behaviour: 'deny', message: unattended(question) }, by: 'unattended' };
    if (signal.aborted) return interrupted;
    // First, because a watcher of the queue may answer at once.
    this.#own.add(question.id);
    const { isRepeat, settled } = this.hub.ask(question);
    const end = (settlement: Settlement) => void this.hub.withdraw(question.id, settlement);
    const onAbort = () => end(interrupted);
    signal.addEventListener('abort', onAbort, { once: true });
    const { expiresAt } = question;
    const stopWaiting =
      expiresAt === null
        ? undefined
        : this.clock.after(expiresAt - this.clock.now(), () => end(expired(question)));
    if (!isRepeat) told?.();
    const settlement = await settled;
    signal.removeEventListener('abort', onAbort);
    stopWaiting?.();
    this.#own.delete(question.id);
    return settlement;
  }

  /** Only questions of this session. False when it is unknown or already answered. */
  answer(questionId: string, answer: Answer, by: AnsweredBy): boolean {
    return this.#own.has(questionId) && this.hub.answer(questionId, answer, by);
  }

  /** A rule added in the meantime allows this one call. */
  grant(questionId: string, rule: Rule): void {
    this.hub.withdraw(questionId, { answer: { behaviour: 'allow', scope: 'once' }, by: 'rule', rule });
  }

  take({ questionId, answer, by = 'program' }: Extract<Command, { type: 'answer' }>): Result<void> {
    const known = this.answer(questionId, answer, by);
    return known ? ok(undefined) : usage(`No question ${questionId} is waiting.`);
  }

  waiting(): WaitingQuestion[] {
    return this.hub.waiting().filter(({ question }) => this.#own.has(question.id));
  }
}

/** Excludes calls allowed by a mode: only a rule is granted for what it says. */
export function isByRule(decision: Decision): decision is Decision & { rule: Rule } {
  return decision.behaviour === 'allow' && decision.by === 'rule' && decision.rule !== undefined;
}

const interrupted: Settlement = {
  answer: { behaviour: 'deny', message: 'The user interrupted before answering.' },
  by: 'interrupt',
};

function expired({ askedAt, expiresAt, decision }: Question): Settlement {
  const seconds = Math.round(((expiresAt ?? askedAt) - askedAt) / 1000);
  const message =
    `No answer within ${seconds} seconds (${decision.reason}). ` +
    'Continue without it, or say in your answer what the user should allow.';
  return { answer: { behaviour: 'deny', message }, by: 'expiry' };
}

function unattended(question: Question): string {
  return (
    `There is no user to approve this call (${question.decision.reason}). ` +
    'Continue without it, or say in your answer what the user should allow.'
  );
}
