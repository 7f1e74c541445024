import type { BoardItem, MailMessage, MemberRecord, WaitEdge } from '../protocol/team.ts';
import { findResting, listBoardWaits } from './board/board-waits.ts';
import { collectWaits } from './waits.ts';

/** A team, as its files show it. */
export interface StoredTeam {
  members: readonly MemberRecord[];
  mail: readonly MailMessage[];
  items: readonly BoardItem[];
}

/** Who waits for whom, as far as the files of a team tell it: mail without an answer, blocked items, and what members say of themselves. */
export function collectStoredWaits({ members, mail, items }: StoredTeam): WaitEdge[] {
  const working = new Set(members.flatMap(({ name, state }) => (state === 'working' ? [name] : [])));
  return collectWaits([
    () =>
      listUnanswered(mail.filter((one) => isStillAsked(one, members))).filter(
        ({ from }) => !working.has(from),
      ),
    () => listBoardWaits(items, findResting(members)),
    () => listOwnWaits(members),
  ]);
}

/** A request ends with the incarnation that made it, and one that has ended or died waits for nothing. */
function isStillAsked(mail: MailMessage, members: readonly MemberRecord[]): boolean {
  const asker = members.find(({ name }) => name === mail.from);
  if (!asker || !mail.awaitsAnswer) return true;
  if (asker.state === 'ended' || asker.state === 'dead') return false;
  return !mail.kind.endsWith('_request') || mail.fromIncarnation === asker.incarnation;
}

const isGone: ReadonlySet<MemberRecord['state']> = new Set(['dead', 'ended', 'suspended'] as const);

/** Of members that live. */
export function listOwnWaits(members: readonly MemberRecord[]): WaitEdge[] {
  return members.flatMap(({ name, state, waits = [] }) =>
    isGone.has(state) ? [] : waits.map((wait) => ({ from: name, ...wait })),
  );
}

/** Mail that awaits an answer, with nothing from its receiver since, other than a question in return. */
export function listUnanswered(mail: readonly MailMessage[]): WaitEdge[] {
  return mail
    .filter((one) => one.awaitsAnswer && !mail.some((other) => isAnswer(other, one)))
    .map(({ from, to, sentAt: since, summary, text }) => ({
      ...{ from, to, kind: 'mail', since },
      what: `an answer of ${to}: ${(summary ?? text).slice(0, 100)}`,
    }));
}

function isAnswer(other: MailMessage, question: MailMessage): boolean {
  const isWithdrawn = other.inReplyTo === question.id && other.from === question.from;
  if (isWithdrawn) return true;
  if (other.from !== question.to || other.to !== question.from || other.kind === 'idle') return false;
  return other.inReplyTo === question.id || (!other.awaitsAnswer && other.sentAt >= question.sentAt);
}
