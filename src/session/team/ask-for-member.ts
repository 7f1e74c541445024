import type { MailMessage } from '../../protocol/index.ts';
import { readQuestion } from '../../team/member/answers.ts';
import type { MemberSession } from './lead-membership.ts';

/** A question of another process that nobody answers in time is denied. */
const questionPatienceMs = 10 * 60 * 1000;

/** Puts the question of a member in another process into this session's queue, and sends the answer back. */
export async function askForMember(
  { clock, kernel, office, own }: Pick<MemberSession, 'clock' | 'kernel' | 'office' | 'own'>,
  mail: MailMessage,
): Promise<void> {
  const question = readQuestion(mail);
  const { fromIncarnation } = mail;
  if (!question || fromIncarnation === undefined) return;
  const latest = clock.now() + questionPatienceMs;
  const expiresAt = Math.min(question.expiresAt ?? latest, latest);
  const answer = await kernel.questions.propose({ ...question, expiresAt }, new AbortController().signal);
  const text = answer.behaviour === 'allow' ? 'allowed' : answer.message;
  await office.send(own, {
    ...{ to: mail.from, toIncarnation: fromIncarnation, kind: 'permission_response', text },
    ...{ body: { answer }, inReplyTo: mail.id },
  });
}
