import {
  type BoardItem,
  leaderName,
  type MailMessage,
  type MailState,
  type MemberView,
  type TeamView,
  type WaitEdge,
} from '../../protocol/team.ts';
import { cutEnd, cutLine, maxResult, maxValue } from '../bound.ts';
import type { Draft } from '../draft.ts';
import type { EventOf } from '../entry.ts';
import {
  findColour,
  noTeam,
  type ShownItem,
  type ShownMail,
  type ShownMember,
  type ShownTeam,
} from '../team.ts';
import type { SurfaceEvent } from '../view.ts';

/** How much of a team is held. Its files have everything. */
const maxMail = 500;
const maxMembers = 500;
const maxWaits = 200;
const maxItems = 1_000;
/** Copies of a broadcast are written one after the other: the others are among the newest messages. */
const maxBroadcastSpan = 200;

type TeamEvent = EventOf<'team_changed' | 'mail_moved' | 'board_changed' | 'circle_found'>;

export function reduceTeam(draft: Draft, event: TeamEvent): void {
  const { team } = draft.view;
  switch (event.type) {
    case 'team_changed':
      draft.set({ team: changeTeam(team, event.team) });
      colourAgents(draft);
      break;
    case 'mail_moved':
      draft.set({ team: moveMail(team, event.mail, event.state) });
      break;
    case 'board_changed':
      draft.set({ team: changeBoard(team, event.board, [event.item]) });
      break;
    case 'circle_found':
      draft.set({ team: { ...team, circle: event.edges.slice(0, maxWaits).map(boundWait) } });
      break;
  }
}

/** Mail and items of before this process, or from before anybody listened. Newer states that are known already stay. */
export function loadTeam(
  draft: Draft,
  { mail, board }: Extract<SurfaceEvent, { type: 'team_loaded' }>,
): void {
  let { team } = draft.view;
  // Also mail that is known: other processes read theirs without a word to this one.
  for (const { message, state } of mail.slice(-maxMail)) team = moveMail(team, message, state);
  const ordered = team.mail.toSorted((one, other) => one.at - other.at);
  team = { ...team, mail: ordered, mailLeft: Math.max(team.mailLeft, mail.length - maxMail) };
  if (board) team = changeBoard(team, board.name, board.items);
  draft.set({ team });
}

function changeTeam(before: ShownTeam, team: TeamView | undefined): ShownTeam {
  if (!team)
    return { ...before, isOpen: false, waits: [], circle: [], members: before.members.map(endMember) };
  const isSame = before.name === null || before.name === team.name;
  const kept = isSame ? before : { ...noTeam, board: before.board };
  const waits = (team.waits ?? []).slice(0, maxWaits).map(boundWait);
  return {
    ...kept,
    name: team.name,
    description: cutLine(team.description ?? ''),
    isOpen: true,
    members: orderMembers(team.members).slice(0, maxMembers).map(showMember),
    waits,
    // It is over when one of its waits is.
    circle: kept.circle.every((edge) => waits.some((one) => isSameWait(one, edge))) ? kept.circle : [],
  };
}

/** A teammate has one colour wherever it is shown. */
function colourAgents(draft: Draft): void {
  for (const { agentId, colour: name } of draft.view.team.members) {
    const agent = agentId === null ? undefined : draft.view.agents.get(agentId);
    const colour = findColour(name);
    if (agent && agent.colour !== colour) draft.putAgent({ ...agent, colour });
  }
}

function orderMembers(members: readonly MemberView[]): MemberView[] {
  return members.toSorted(
    (one, other) => Number(other.name === leaderName) - Number(one.name === leaderName),
  );
}

function showMember(member: MemberView): ShownMember {
  const { name, kind, agentId, colour, state, reason, stateSince, unread, items } = member;
  return {
    ...{ name, kind, agentId, colour, state, unread },
    reason: cutLine(reason ?? ''),
    since: Date.parse(stateSince),
    items: items.slice(0, 20),
  };
}

function endMember(member: ShownMember): ShownMember {
  return member.state === 'ended' ? member : { ...member, state: 'ended', reason: 'the team has ended' };
}

function isSameWait(one: WaitEdge, other: WaitEdge): boolean {
  return one.from === other.from && one.to === other.to && one.kind === other.kind;
}

function boundWait(edge: WaitEdge): WaitEdge {
  return { ...edge, what: cutLine(edge.what) };
}

function moveMail(team: ShownTeam, message: MailMessage, state: MailState): ShownTeam {
  const { mail, mailLeft } = team;
  const known = mail.findLastIndex(({ to }) => to.some(({ mailId }) => mailId === message.id));
  const at = known < 0 ? findBroadcast(mail, message) : known;
  const found = mail[at];
  if (found) {
    const to =
      known < 0
        ? [...found.to, { name: message.to, mailId: message.id, state }]
        : found.to.map((one) =>
            one.mailId === message.id ? { ...one, state: later(one.state, state) } : one,
          );
    return { ...team, mail: mail.with(at, { ...found, to }) };
  }
  const next = [...mail, showMail(message, state)];
  const surplus = Math.max(0, next.length - maxMail);
  return { ...team, mail: next.slice(surplus), mailLeft: mailLeft + surplus };
}

/** What is heard can be behind what was read from the files. */
function later(one: MailState, other: MailState): MailState {
  return mailStates.indexOf(one) > mailStates.indexOf(other) ? one : other;
}

const mailStates: readonly MailState[] = ['written', 'delivered', 'read', 'void', 'quarantined'];

/** The message of which this is a copy for one more receiver. */
function findBroadcast(mail: readonly ShownMail[], { kind, from, to, text, sentAt }: MailMessage): number {
  if (kind !== 'broadcast') return -1;
  const shown = cutEnd(text, maxResult);
  const start = Math.max(0, mail.length - maxBroadcastSpan);
  const at = mail
    .slice(start)
    .findLastIndex(
      (one) =>
        one.kind === kind &&
        one.from === from &&
        one.text === shown &&
        Math.abs(one.at - Date.parse(sentAt)) < 5_000 &&
        !one.to.some(({ name }) => name === to),
    );
  return at < 0 ? -1 : start + at;
}

function showMail(message: MailMessage, state: MailState): ShownMail {
  const { id, from, to, kind, sentAt, text, summary } = message;
  return {
    ...{ id, kind },
    from: cutLine(from),
    to: [{ name: to, mailId: id, state }],
    at: Date.parse(sentAt),
    summary: cutLine(summary ?? ''),
    text: kind === 'idle' ? describeIdle(message) : cutEnd(text, maxResult),
  };
}

/** An idle notice in a few words: ids and what wakes it are for its reader, a model. */
function describeIdle({ from, body, text }: MailMessage): string {
  const { reason, owes } = body ?? {};
  if (typeof reason !== 'string') return cutLine(text);
  const open = Array.isArray(owes) && owes.length > 0 ? `; it still owes ${owes.join(', ')}` : '';
  return cutLine(`${from} is idle: ${reason}${open}`);
}

/** Revisions may come out of order: an older one changes nothing. */
function changeBoard(team: ShownTeam, name: string, changed: readonly BoardItem[]): ShownTeam {
  const items = new Map(team.board.name === name ? team.board.items.map((item) => [item.id, item]) : []);
  for (const item of changed) {
    const known = items.get(item.id);
    if (known && known.revision >= item.revision) continue;
    if (item.status === 'deleted') items.delete(item.id);
    else items.set(item.id, showItem(item));
  }
  const ordered = [...items.values()].sort(compareItems);
  return { ...team, board: { name, items: forgetDone(ordered) } };
}

function compareItems(one: ShownItem, other: ShownItem): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
}

/** The oldest completed ones leave first, and then the oldest of all. */
function forgetDone(items: readonly ShownItem[]): readonly ShownItem[] {
  let surplus = items.length - maxItems;
  if (surplus <= 0) return items;
  const open = items.filter(({ status }) => status !== 'completed' || surplus-- <= 0);
  return open.slice(Math.max(0, open.length - maxItems));
}

function showItem(item: BoardItem): ShownItem {
  const { id, revision, links, owner, status, subject, description, createdBy, changedBy } = item;
  return {
    ...{ id, revision, owner, status, createdBy, changedBy },
    links: links.slice(0, 100),
    subject: cutLine(subject),
    description: cutEnd(description, maxValue),
    createdAt: Date.parse(item.createdAt),
    changedAt: Date.parse(item.changedAt),
  };
}
