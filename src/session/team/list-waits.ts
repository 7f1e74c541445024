import { leaderName, type MemberWait, type Question, type WaitEdge } from '../../protocol/index.ts';
import type { Member } from '../../team/member/member.ts';
import type { Teammate } from '../../team/member/teammate.ts';
import type { TeamOffice } from '../../team/office.ts';
import { listOwnWaits } from '../../team/stored-waits.ts';
import type { Kernel } from '../kernel.ts';
import type { Crew } from './teammates.ts';

/** The parts of a crew that can wait. */
export interface WaitingCrew extends Pick<Crew, 'office' | 'agents'> {
  readonly kernel: Kernel;
  readonly own: { readonly member: Member };
  readonly teammates: ReadonlyMap<string, Teammate>;
}

/** A wait that began when it was first seen. */
type NewWait = Omit<WaitEdge, 'since'> & { since?: string };

/** The waits that no file of the team tells, of all members of this process: answers of people, files, slots, limits. */
export function listLocalWaits(crew: WaitingCrew): NewWait[] {
  return [
    ...listQuestions(crew),
    ...listRefusals(crew),
    ...[...crew.teammates.values()].flatMap((teammate) => listLimits(crew, teammate)),
  ];
}

/** What members of other processes say of themselves. */
export function listRemoteWaits({ office }: WaitingCrew): WaitEdge[] {
  return listOwnWaits(office.listMembers().filter(({ name }) => office.find(name) === undefined));
}

/** Members that have asked others, and have nothing else to do. */
export function listAsking(crew: WaitingCrew, leadWorks: boolean): WaitEdge[] {
  const resting = [...crew.teammates.values()].flatMap(({ isResting, member }) =>
    isResting ? [member] : [],
  );
  return [...(leadWorks ? [] : [crew.own.member]), ...resting].flatMap(listAsked);
}

function listAsked(member: Member): WaitEdge[] {
  return describeAsked(member).map((wait) => ({ from: member.name, ...wait }));
}

export function describeAsked(member: Member): MemberWait[] {
  return member.listAsked().map(({ to, since, about }) => ({
    ...{ to, kind: 'mail', since },
    what: `an answer of ${to}: ${about.slice(0, 100)}`,
  }));
}

/** Questions in the queue, by the member that asked, or for which the asking agent works. Plans wait for the leader. */
function listQuestions({ agents, kernel, office, teammates }: WaitingCrew): NewWait[] {
  const suffix = `@${office.name}`;
  const waiting = kernel.questions.approvals.hub.waiting();
  const asked = waiting.flatMap(({ question, repeats }) =>
    [question, ...repeats].flatMap((one): NewWait[] => {
      const { agentId, asker, sessionId } = one;
      const other = asker.member?.endsWith(suffix) ? asker.member.slice(0, -suffix.length) : undefined;
      const own = sessionId === kernel.id ? findMember(office, agents, agentId) : undefined;
      const from = other ?? own;
      return from === undefined ? [] : [{ from, ...describeQuestion(one) }];
    }),
  );
  const plans = [...teammates.values()].flatMap(({ name, asksLeader }): NewWait[] =>
    asksLeader ? [{ from: name, to: leaderName, kind: 'approval', what: 'the approval of its plan' }] : [],
  );
  return [...asked, ...plans];
}

export function describeQuestion({ summary, askedAt }: Question): MemberWait {
  const what = `an answer of the user: ${summary.slice(0, 100)}`;
  return { to: 'user', kind: 'approval', what, since: new Date(askedAt).toISOString() };
}

/** The member that an agent is, or works for. */
function findMember(
  office: TeamOffice,
  { tasks }: WaitingCrew['agents'],
  agentId: string | null,
): string | undefined {
  const seen = new Set<string | null>();
  for (let id = agentId; !seen.has(id); id = tasks.view(id ?? '')?.owner ?? null) {
    const local = office.findByAgent(id);
    if (local) return local.claim.name;
    seen.add(id);
  }
  return undefined;
}

/** Idle members that were refused a file which another agent still has. */
function listRefusals({ agents, office, teammates }: WaitingCrew): NewWait[] {
  return agents.leases.listRefused().flatMap(({ agentId, since, lease }): NewWait[] => {
    const from = office.findByAgent(agentId)?.claim.name;
    if (from === undefined || teammates.get(from)?.isResting !== true) return [];
    const { agentId: holder } = lease.holder;
    const to = office.findByAgent(holder)?.claim.name ?? holder?.replace(`@${office.name}`, '') ?? leaderName;
    const what = `the file ${lease.path}, which ${to} has`;
    return to === from ? [] : [{ from, to, kind: 'lease', what, since }];
  });
}

function listLimits({ agents }: WaitingCrew, teammate: Teammate): NewWait[] {
  const { name: from, agentId, isQueued, lacksBudget } = teammate;
  const task = agentId === undefined ? undefined : agents.tasks.view(agentId);
  return [
    ...(isQueued ? [{ from, to: 'slot', kind: 'slot' as const, what: 'a free slot' }] : []),
    ...(lacksBudget ? [{ from, to: 'budget', kind: 'budget' as const, what: 'more budget' }] : []),
    ...(task?.suspended
      ? [{ from, to: 'provider', kind: 'provider' as const, what: 'the reset of a limit' }]
      : []),
  ];
}

/** Gives each wait the time at which it was first seen. */
export function openWaitTimes(now: () => string): (waits: readonly NewWait[]) => WaitEdge[] {
  let known = new Map<string, string>();
  return (waits) => {
    const dated = waits.map((wait) => {
      const key = JSON.stringify([wait.from, wait.to, wait.kind]);
      return { key, edge: { ...wait, since: wait.since ?? known.get(key) ?? now() } };
    });
    known = new Map(dated.map(({ key, edge }) => [key, edge.since]));
    return dated.map(({ edge }) => edge);
  };
}

/** Puts the waits of each member of this process into its record, where other processes find them. */
export function storeWaits({ office }: WaitingCrew, edges: readonly WaitEdge[]): void {
  for (const { claim } of office.list()) {
    const waits = edges.flatMap(({ from, ...wait }): MemberWait[] => (from === claim.name ? [wait] : []));
    if (JSON.stringify(waits) === JSON.stringify(claim.record.waits ?? [])) continue;
    claim.update({ waits: waits.length > 0 ? waits : undefined });
  }
}
