import type { BoardItem, MailMessage, MemberRecord, WaitEdge } from '../protocol/team.ts';
import { isOpen, listBlockers } from './board/links.ts';
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
    () => listBlocked(items, working),
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

function listBlocked(items: readonly BoardItem[], working: ReadonlySet<string>): WaitEdge[] {
  const open = items.filter(isOpen);
  return open.flatMap((item): WaitEdge[] => {
    const { id, owner, subject, changedAt: since } = item;
    const blockers = listBlockers([...items], id);
    const what = `item ${id}: ${subject.slice(0, 80)}`;
    if (blockers.length === 0)
      return owner === null
        ? []
        : [{ from: `item:${id}`, to: owner, kind: 'item', what: `its owner ${owner}`, since }];
    return [
      ...blockers.map(
        (one): WaitEdge => ({
          ...{ from: `item:${id}`, to: `item:${one.id}`, kind: 'item', since },
          what: `item ${one.id}: ${one.subject.slice(0, 80)}`,
        }),
      ),
      ...(owner === null || working.has(owner)
        ? []
        : [{ from: owner, to: `item:${id}`, kind: 'item' as const, what, since }]),
    ];
  });
}
