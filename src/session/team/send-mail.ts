import type { Sending } from '../../agents/teams.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import {
  errorResult,
  leaderName,
  type MailMessage,
  type MemberRecord,
  type ToolResult,
  textResult,
} from '../../protocol/index.ts';
import type { MailDraft } from '../../team/mail/post-mail.ts';
import { unclaimedSender } from '../../team/mail/senders.ts';
import { isOpening } from '../../team/member-record.ts';
import { isProgramAddress } from '../../team/names.ts';
import type { LocalMember } from '../../team/office.ts';
import type { SessionCrew } from './crew.ts';
import { resumeTeammate } from './teammates.ts';
import { closedReason } from './watch-members.ts';

/** Sends what `SendMessage` or the user says to members. Undefined if it is not for a member, or the sender is none. */
export function sendMail(crew: SessionCrew, sending: Sending): Promise<ToolResult> | undefined {
  const { agentId, isUser } = sending;
  const from = isUser ? undefined : crew.office.findByAgent(agentId);
  if (!from && !isUser) return undefined;
  const found = findReceivers(crew, from, sending.to);
  if (!found) return undefined;
  return found.ok
    ? sendAll(crew, from, found.value, sending)
    : Promise.resolve(errorResult(found.problem.message));
}

/** The members behind an address. Undefined if it is none of a team. */
function findReceivers(
  { office }: SessionCrew,
  from: LocalMember | undefined,
  address: string,
): Result<MemberRecord[]> | undefined {
  const [name = '', team] = address.split('@', 2);
  if (team !== undefined && team !== office.name)
    return usage(`This session is not in a team ${visibleLine(team, 64)}; its team is ${office.name}.`);
  const own = from?.claim.name;
  if (address === '*') {
    const others = office.members.list().filter((one) => one.name !== own && isRunning(one));
    return others.length > 0 ? ok(others) : usage(`No other member of ${office.name} is running.`);
  }
  if (name === 'user' || isProgramAddress(name)) return ok([describeOutsider(office, name)]);
  const wanted = name === 'main' ? leaderName : name;
  if (wanted === own) return usage('A message to yourself has no effect.');
  const member = office.members.read(wanted) ?? office.members.list().find((one) => one.agentId === address);
  if (member) return ok([member]);
  return team === undefined
    ? undefined
    : usage(`There is no ${visibleLine(address, 100)}. ${listNames(office.members.list())}`);
}

/** The user and other programs have boxes, and nothing else of a member. */
function describeOutsider({ name: team }: SessionCrew['office'], name: string): MemberRecord {
  const since = '';
  return {
    ...{ format: 1, name, team, incarnation: '', kind: 'program', agentId: null, sessionId: '', colour: '' },
    ...{ wanted: 'running', state: 'idle', stateSince: since, heartbeatAt: since, joinedAt: since },
  };
}

function isRunning(member: MemberRecord): boolean {
  const { state } = member;
  return isOpening(member) || (state !== 'ended' && state !== 'dead' && state !== 'suspended');
}

function listNames(members: readonly MemberRecord[]): string {
  return `Members: ${members.map(({ name }) => name).join(', ')}.`;
}

async function sendAll(
  crew: SessionCrew,
  from: LocalMember | undefined,
  receivers: readonly MemberRecord[],
  sending: Sending,
): Promise<ToolResult> {
  const { message } = sending;
  if (typeof message !== 'string' && message.type === 'shutdown_response')
    return answerShutdown(crew, from, message);
  const sent: { receiver: MemberRecord; mail: MailMessage; note: string }[] = [];
  const problems: string[] = [];
  for (const receiver of receivers) {
    const wasResting = crew.teammates.get(receiver.name)?.isResting === true;
    const draft = composeDraft(crew, from, receiver, sending, receivers.length > 1 || sending.to === '*');
    const posted = draft.ok ? await post(crew, from, draft.value) : draft;
    const woken = posted.ok ? await wakeMember(crew, receiver, sending, wasResting) : posted;
    if (posted.ok && woken.ok) sent.push({ receiver, mail: posted.value, note: woken.value });
    else if (!woken.ok) problems.push(woken.problem.message);
  }
  return describeSent(sent, problems);
}

function post(
  { office, clock }: SessionCrew,
  from: LocalMember | undefined,
  draft: MailDraft,
): Promise<Result<MailMessage>> {
  return from ? office.send(from, draft) : office.sendAs(unclaimedSender('user', clock), draft);
}

async function answerShutdown(
  { teammates, membership }: SessionCrew,
  from: LocalMember | undefined,
  message: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const teammate = from && (teammates.get(from.claim.name) ?? membership);
  if (!teammate)
    return errorResult('shutdown_response: only a teammate that was asked to shut down answers.');
  const answered = await teammate.answerShutdown(message);
  return answered.ok ? textResult(answered.value, { success: true }) : errorResult(answered.problem.message);
}

function composeDraft(
  crew: SessionCrew,
  from: LocalMember | undefined,
  to: MemberRecord,
  { message, summary, awaitsAnswer, notifyWhenIdle }: Sending,
  isToAll: boolean,
): Result<MailDraft> {
  const common = {
    ...{ to: to.name, ...(summary === undefined ? {} : { summary }) },
    ...(notifyWhenIdle ? { body: { notifyWhenIdle: true } } : {}),
  };
  if (typeof message === 'string') {
    if (message.trim() === '') return usage('message: expected text, got an empty string.');
    const awaits = awaitsAnswer ?? (from !== undefined && /\?\s*$/.test(message));
    return ok({
      ...{ ...common, kind: isToAll ? 'broadcast' : 'text', text: message },
      ...(awaits && !isToAll ? { awaitsAnswer: true } : {}),
    });
  }
  return composeProtocol(crew, from, to, message);
}

/** Protocol messages are types, never prose. Only the leader, or the user, sends those that steer a member. */
function composeProtocol(
  crew: SessionCrew,
  from: LocalMember | undefined,
  { name: to, incarnation }: MemberRecord,
  message: { type: string } & Record<string, unknown>,
): Result<MailDraft> {
  const text = readText(message);
  const isLeader = from?.claim.name === leaderName;
  switch (message.type) {
    case 'text':
    case 'message':
    case 'broadcast':
      return text === '' ? usage('text: expected the message.') : ok({ to, kind: 'text', text });
    case 'task_assignment':
      return ok({ to, kind: 'task_assignment', text: text || JSON.stringify(message), body: message });
    case 'shutdown_request':
      if (!isLeader) return usage('Only the leader asks a teammate to shut down.');
      return ok({ to, toIncarnation: incarnation, kind: 'shutdown_request', text, body: { reason: text } });
    case 'plan_approval_response':
      return isLeader ? composePlanAnswer(crew, to, message) : usage('Only the leader decides on a plan.');
    default:
      return usage(
        `message.type: expected shutdown_request, shutdown_response, plan_approval_response or task_assignment, got ${visibleLine(message.type, 60)}. For anything else send text.`,
      );
  }
}

/** Spellings of other products are accepted, too. */
function composePlanAnswer(
  { plans }: SessionCrew,
  to: string,
  message: Readonly<Record<string, unknown>>,
): Result<MailDraft> {
  const id = message.request_id ?? message.requestId;
  const approve = message.approve ?? message.approved;
  const plan = typeof id === 'string' ? plans.get(id) : undefined;
  if (typeof id !== 'string' || plan?.from !== to || plan.incarnation === undefined)
    return usage(
      `${to} is not waiting for an answer with this request_id. Use the request_id of its request.`,
    );
  if (typeof approve !== 'boolean') return usage('approve: expected true or false.');
  plans.delete(id);
  const feedback = readText(message);
  const text = approve ? 'The plan is approved.' : feedback || 'The plan is rejected.';
  const body = { approve, ...(feedback ? { feedback } : {}) };
  return ok({
    to,
    toIncarnation: plan.incarnation,
    kind: 'plan_approval_response',
    text,
    body,
    inReplyTo: id,
  });
}

function readText(message: Readonly<Record<string, unknown>>): string {
  const said = message.text ?? message.content ?? message.message ?? message.feedback ?? message.reason;
  return typeof said === 'string' ? said.trim() : '';
}

/** A message to a teammate that has ended resumes it. Returns what happens next, in words. */
export async function wakeMember(
  crew: SessionCrew,
  receiver: MemberRecord,
  { message, isUser }: Pick<Sending, 'message' | 'isUser'>,
  wasResting = false,
): Promise<Result<string>> {
  const { office, agents, own } = crew;
  const { name, kind, agentId, sessionId } = receiver;
  if (kind === 'program') return ok('It is in its box.');
  const local = office.find(name);
  if (local) return ok(wasResting ? 'It was idle, and wakes up.' : 'It reads it at its next step.');
  if (office.members.isAlive(name)) return ok('It reads it at its next step.');
  if (isOpening(receiver)) return ok('It reads it when it has started.');
  if (typeof message !== 'string') return usage(`${name} is not running.`);
  if (kind === 'pane' && own.claim.name === leaderName) {
    if (receiver.reason === closedReason && !isUser)
      return usage(
        `The user closed the pane of ${name}; only the user can resume it. The message waits in its box.`,
      );
    return crew.resumePane(receiver);
  }
  const isOurs = kind === 'in-process' && sessionId === agents.sessionId && own.claim.name === leaderName;
  if (!isOurs || agentId === null) return ok(explainAbsence(crew, name));
  if (agents.tasks.view(agentId)?.stoppedBy === 'user' && !isUser)
    return usage(`The user stopped ${name}; only the user can resume it. The message waits in its box.`);
  const lead = agents.roster.find(null);
  if (!lead) return usage('The session is not open.');
  const resumed = await resumeTeammate(crew, lead, receiver);
  if (!resumed.ok) return resumed;
  crew.teammates.set(name, resumed.value.teammate);
  return ok('It had ended, and resumes with it.');
}

/** Its leader, where one runs, follows the boxes of those that do not. */
function explainAbsence({ office, own }: SessionCrew, name: string): string {
  const isFollowed = own.claim.name !== leaderName && office.members.isAlive(leaderName);
  const next = isFollowed
    ? 'its leader resumes it, unless the user stopped it'
    : 'it reads it when it runs again';
  return `${name} is not running: ${next}.`;
}

function describeSent(
  sent: readonly { receiver: MemberRecord; mail: MailMessage; note: string }[],
  problems: readonly string[],
): ToolResult {
  const [first] = sent;
  const named = sent.map(({ receiver }) => receiver.name).join(', ');
  const done = first && sent.length === 1 ? `Sent to ${named}. ${first.note}` : `Sent to ${named}.`;
  const text = [...(first ? [done] : []), ...problems].join('\n');
  if (!first) return errorResult(text);
  return textResult(text, {
    success: problems.length === 0,
    message: text,
    mail: sent.map(({ receiver, mail }) => ({ to: receiver.name, id: mail.id })),
  });
}
