import type { MailMessage } from '../../protocol/index.ts';
import { readQuestion } from '../../team/member/answers.ts';
import type { MemberSession } from './lead-membership.ts';

/** A question of another process that nobody answers in time is denied. */
const questionPatienceMs = 10 * 60 * 1000;

interface OpenQuestion {
  readonly name: string;
  readonly incarnation: string;
  readonly over: AbortController;
}

/** Questions of members in other processes, in this session's queue for as long as their asker waits for them. */
export class MemberQuestions {
  readonly #open = new Set<OpenQuestion>();

  constructor(private readonly session: Pick<MemberSession, 'clock' | 'kernel' | 'office' | 'own'>) {}

  /** Puts it into the queue, and sends the answer back. */
  async ask(mail: MailMessage): Promise<void> {
    const { clock, kernel, office, own } = this.session;
    const question = readQuestion(mail);
    const { from: name, fromIncarnation: incarnation } = mail;
    if (!question || incarnation === undefined) return;
    const open: OpenQuestion = { name, incarnation, over: new AbortController() };
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
