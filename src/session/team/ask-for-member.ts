import type { MailMessage } from '../../protocol/index.ts';
import { readQuestion } from '../../team/member/answers.ts';
import type { MemberSession } from './lead-membership.ts';

/** A question of another process that nobody answers in time is denied. */
const questionPatienceMs = 10 * 60 * 1000;

interface OpenQuestion {
  /** The mail that asked. */
  readonly id: string;
  readonly name: string;
  readonly incarnation: string;
  readonly over: AbortController;
}

interface LeadingSession extends Pick<MemberSession, 'clock' | 'kernel' | 'office' | 'own'> {
  /** Plans that wait for the leader, by the id of the request. */
  readonly plans: Map<string, { incarnation: string | undefined }>;
}

/** Questions of members in other processes, in this session's queue for as long as their asker waits for them. */
export class MemberQuestions {
  readonly #open = new Set<OpenQuestion>();

  constructor(private readonly session: LeadingSession) {}

  /** Puts it into the queue, and sends the answer back. */
  async ask(mail: MailMessage): Promise<void> {
    const { clock, kernel, office, own } = this.session;
    const question = readQuestion(mail);
    const { from: name, fromIncarnation: incarnation } = mail;
    if (!question || incarnation === undefined) return;
    const open: OpenQuestion = { id: mail.id, name, incarnation, over: new AbortController() };
    this.#open.add(open);
    const latest = clock.now() + questionPatienceMs;
    const expiresAt = Math.min(question.expiresAt ?? latest, latest);
    const answer = await kernel.questions.propose({ ...question, expiresAt }, open.over.signal);
    this.#open.delete(open);
    if (open.over.signal.aborted) return;
    const text = answer.behaviour === 'allow' ? 'allowed' : answer.message;
    await office.send(own, {
      ...{ to: name, toIncarnation: incarnation, kind: 'permission_response', text },
      ...{ body: { answer }, inReplyTo: mail.id },
    });
  }

  /** Its asker has the answer from elsewhere, or no longer needs one. */
  withdraw({ inReplyTo = '', from, fromIncarnation }: MailMessage): void {
    const { plans } = this.session;
    if (plans.get(inReplyTo)?.incarnation === fromIncarnation) plans.delete(inReplyTo);
    for (const { id, name, incarnation, over } of this.#open)
      if (id === inReplyTo && name === from && incarnation === fromIncarnation) over.abort();
  }

  /** Takes back the questions of askers that are gone. */
  sweep(): void {
    const { members } = this.session.office;
    for (const { name, incarnation, over } of this.#open)
      if (!members.isAlive(name, incarnation)) over.abort();
  }

  withdrawAll(): void {
    for (const { over } of this.#open) over.abort();
  }
}
