import { isSameValue } from '../../lib/fields/same-value.ts';
import { formatError, ok, type Result } from '../../lib/result.ts';
import type { Denial, HookSkip } from '../../loop/agent-context.ts';
import { chooseScope, describeUpdate, listUpdates } from '../../permissions/answer-updates.ts';
import type { Settlement } from '../../permissions/approval-hub.ts';
import { type Approvals, isByRule } from '../../permissions/approvals.ts';
import { type Audit, type AuditBody, auditDecision } from '../../permissions/audit.ts';
import { Grants } from '../../permissions/grants.ts';
import type { Answer, PermissionMode, PermissionUpdate, Question } from '../../protocol/index.ts';
import type { AnsweredBy, Decision, Rule, SettingsDestination } from '../../protocol/permission.ts';
import type { Saved } from '../../settings/change-settings.ts';
import { formatRule } from '../../settings/rules.ts';
import type { SessionEvents } from '../events.ts';
import type { SessionOptions } from '../options.ts';
import type { Surroundings } from '../surroundings.ts';

export interface QuestionsParts {
  approvals: Approvals;
  audit: SessionAudit;
  onQuestion: SessionOptions['onQuestion'];
  /** Writes a change to a settings file; undefined if nothing may be written. */
  save(update: PermissionUpdate, destination: SettingsDestination): Promise<Result<Saved>> | undefined;
  events: SessionEvents;
}

/** Listens to answers, besides the call that was asked about. */
export interface AnswerListener {
  /** The answer asks for another mode. */
  setMode?(mode: PermissionMode): Result<void>;
  /** The user has allowed something. */
  allowed?(): void;
}

/**
 * Takes a question of any agent of the session to its answer: into the queue, into the audit log, and puts the grants
 * into force. An allow that cannot be logged is refused, since no record would show who gave it.
 */
export class SessionQuestions {
  readonly #applied = new WeakSet<Answer>();
  /** How each waiting question would be decided now, by its id. */
  readonly #again = new Map<string, () => Decision>();

  /** Grants since the start, to the lead and to other agents. */
  readonly grants = new Grants();
  readonly approvals: Approvals;
  readonly #listeners: AnswerListener[] = [];

  constructor(private readonly parts: QuestionsParts) {
    this.approvals = parts.approvals;
  }

  /** From here on this listener hears of answers. */
  listen(listener: AnswerListener): void {
    this.#listeners.push(listener);
  }

  async ask(question: Question, signal: AbortSignal, again?: () => Decision): Promise<Answer> {
    if (again) this.#again.set(question.id, again);
    const { answer } = await this.settle(question, signal);
    return answer;
  }

  /** With who answered, for questions where a missing answer is not a no. */
  async settle(question: Question, signal: AbortSignal): Promise<Settlement> {
    const { approvals, events } = this.parts;
    // In the queue before anything is awaited: an answer may follow the event at once.
    const waiting = approvals.ask(question, signal, () => this.#consult(question, signal));
    events.noteChange();
    const noted = await this.#note(questionEntry(question));
    const { answer, by, rule } = await waiting;
    this.#again.delete(question.id);
    events.noteChange();
    const answered = await this.#note(answerEntry(question, answer, by, rule));
    if (answer.behaviour === 'deny') return { answer, by };
    const failed = noted.ok ? answered : noted;
    if (!failed.ok) return { answer: this.#refuse(failed.problem.message), by: 'interrupt' };
    if (by !== 'program' && by !== 'rule') for (const listener of this.#listeners) listener.allowed?.();
    await this.#apply(question, answer);
    return { answer, by };
  }

  /** Whether an agent waits for the user's answer. */
  isAsking(agentId: string): boolean {
    return this.approvals
      .waiting()
      .some(({ question, repeats }) => [question, ...repeats].some((one) => one.agentId === agentId));
  }

  /** A denial by a rule, a role, the ceiling or a mode. It is denied whether or not the log can be written. */
  async noteDenial(denial: Denial): Promise<void> {
    const { decision, ...what } = denial;
    if (decision.behaviour === 'deny' && decision.by !== 'judge')
      await this.#note({ type: 'denial', ...what, decision: auditDecision(decision, formatRule) });
  }

  /** A call that a hook allowed in place of the user. As with any allow, it is refused if it cannot be logged. */
  async noteSkip({ decision, answered, ...what }: HookSkip): Promise<Result<void>> {
    const { question, answer } = answered ?? {};
    const input = answer?.behaviour === 'allow' ? answer.input : undefined;
    const noted = await this.#note({
      ...{ type: 'skip', ...what, decision: auditDecision(decision, formatRule) },
      ...(input ? { changed: input } : {}),
    });
    if (noted.ok && question && answer?.behaviour === 'allow') await this.#apply(question, answer);
    return noted;
  }

  /** A question of the harness itself: it is also published, so that every surface sees it. */
  async propose(question: Question, signal: AbortSignal): Promise<Answer> {
    const { events } = this.parts;
    const { agentId, id: questionId } = question;
    events.publish({ agentId, parentToolUseId: null, type: 'question_asked', question });
    const answer = await this.ask(question, signal);
    const { behaviour } = answer;
    events.publish({ agentId, parentToolUseId: null, type: 'question_answered', questionId, behaviour });
    return answer;
  }

  /** One that a call of an agent waits for: a no is a denial of that call, unless it goes on either way. */
  async proposeCall(question: Question, signal: AbortSignal): Promise<Answer> {
    const answer = await this.propose(question, signal);
    if (answer.behaviour === 'allow' || question.refuses !== undefined) return answer;
    const { agentId, toolUseId, toolName, input, decision } = question;
    this.parts.events.publish({
      ...{ agentId, parentToolUseId: null, type: 'permission_denied', answer: answer.message },
      ...{ toolUseId, toolName, input, decision },
    });
    return answer;
  }

  #consult(question: Question, signal: AbortSignal): void {
    const { onQuestion, approvals } = this.parts;
    if (onQuestion)
      void consultHandler(onQuestion, question, signal).then(({ answer, by }) =>
        approvals.answer(question.id, answer, by),
      );
  }

  #note(entry: AuditBody): Promise<Result<void>> {
    return this.parts.audit.write(entry);
  }

  #notice(level: 'info' | 'warning', text: string): void {
    this.parts.events.tell({ type: 'notice_given', level, text });
  }

  #refuse(problem: string): Answer {
    const text = `The call was denied because the approval cannot be written to the audit log. ${problem}`;
    this.#notice('warning', text);
    return { behaviour: 'deny', message: text };
  }

  /** One answer may settle several calls; its grants apply once. */
  async #apply(question: Question, answer: Extract<Answer, { behaviour: 'allow' }>): Promise<void> {
    if (this.#applied.has(answer)) return;
    this.#applied.add(answer);
    for (const update of listUpdates(answer, question)) {
      const saved = await this.#put(update, question.agentId);
      const change = describeUpdate(update);
      const { agentId, id: questionId } = question;
      const end =
        saved === undefined ? {} : saved.ok ? { file: saved.value.file } : { problem: saved.problem.message };
      await this.#note({ type: 'grant', questionId, agentId, scope: chooseScope(update), change, ...end });
      if (saved?.ok) this.#notice('info', `Saved to ${saved.value.file}: ${change}.${later(saved.value)}`);
      else if (saved)
        this.#notice('warning', `${saved.problem.message} It applies until the session ends: ${change}.`);
      this.#answerByRule();
    }
  }

  /** Grants apply to waiting questions too, whichever agent asks. */
  #answerByRule(): void {
    const { approvals } = this;
    for (const { question, repeats } of approvals.waiting())
      for (const { id } of [question, ...repeats]) {
        const decision = this.#again.get(id)?.();
        if (decision && isByRule(decision)) approvals.grant(id, decision.rule);
      }
  }

  async #put(update: PermissionUpdate, agentId: string | null): Promise<Result<Saved> | undefined> {
    if (update.type === 'set_mode') {
      const changed = this.#setMode(update.mode);
      if (!changed.ok) this.#notice('warning', changed.problem.message);
      if (!changed.ok) return undefined;
    } else this.grants.apply(update, agentId);
    const { destination } = update;
    const isKept = destination !== 'agent' && destination !== 'session';
    return isKept ? this.parts.save(update, destination) : undefined;
  }

  #setMode(mode: PermissionMode): Result<void> {
    const ends = this.#listeners.map((listener) => listener.setMode?.(mode) ?? ok(undefined));
    return ends.find((end) => !end.ok) ?? ok(undefined);
  }
}

/** A rule in a repository's file is the repository's word until it is trusted. */
function later({ inForce }: Saved): string {
  return inForce ? '' : ' Later sessions apply it once you trust the rest of that file: cadre trust.';
}

/** A handler that throws has said neither yes nor no; the call does not run. */
async function consultHandler(
  onQuestion: NonNullable<SessionOptions['onQuestion']>,
  question: Question,
  signal: AbortSignal,
): Promise<Settlement> {
  try {
    return { answer: await onQuestion(question, signal), by: 'program' };
  } catch (error) {
    const message = `The question could not be answered: ${formatError(error)}`;
    return { answer: { behaviour: 'deny', message }, by: 'unattended' };
  }
}

export function questionEntry(question: Question): AuditBody {
  const { id: questionId, agentId, asker, toolName: tool, input, decision, risk } = question;
  return {
    type: 'question',
    ...{ questionId, agentId, agentType: asker.type, tool, input },
    decision: auditDecision(decision, formatRule),
    risk: risk.level,
  };
}

export function answerEntry(
  question: Question,
  answer: Answer,
  by: AnsweredBy,
  rule?: Rule,
): Extract<AuditBody, { type: 'answer' }> {
  const { behaviour } = answer;
  const base = { type: 'answer' as const, questionId: question.id, behaviour, by };
  if (answer.behaviour === 'deny') return { ...base, reason: answer.message };
  const isChanged = answer.input && !isSameValue(answer.input, question.input);
  if (rule) return { ...base, reason: formatRule(rule) };
  return isChanged && answer.input ? { ...base, changed: answer.input } : base;
}

/** The session's audit log. Its file is opened at the first entry, so a run without questions has no cost for it. */
export class SessionAudit {
  #opened: Promise<Audit> | undefined;

  /** `isKept` is false if nothing of the session is stored. The user is told once what is not recorded. */
  constructor(
    private readonly sessionId: string,
    private readonly place: Surroundings,
    private readonly isKept: boolean,
    private readonly warnOnce: (text: string) => void,
  ) {}

  async write(entry: AuditBody): Promise<Result<void>> {
    if (!this.isKept) return ok(undefined);
    this.#opened ??= this.#open();
    const written = (await this.#opened).write(entry);
    if (!written.ok)
      this.warnOnce(
        `The audit log cannot be written, so denials are not recorded and nothing can be allowed. ${written.problem.message}`,
      );
    return written;
  }

  async #open(): Promise<Audit> {
    const { openAudit } = await import('../../permissions/audit.ts');
    const { layout, cwd, clock, secrets } = this.place;
    const { sessionId } = this;
    return openAudit({ home: layout.home, sessionId, cwd, clock, hide: (text) => secrets.hide(text) });
  }
}
