import { flagSuspicions } from '../../agents/handoff-check.ts';
import type { AgentKernel } from '../../agents/kernel.ts';
import { prepareAgent } from '../../agents/prepare-agent.ts';
import { resumeAgent } from '../../agents/resume-agent.ts';
import type { LiveAgent } from '../../agents/roster.ts';
import { type AgentRequest, type AgentSpec, formatType, type LoadedAgent } from '../../agents/spec.ts';
import { startAgent } from '../../agents/start-agent.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import {
  leaderName,
  type MemberRecord,
  noUsage,
  type TaskHandle,
  textOf,
  toolUses,
} from '../../protocol/index.ts';
import type { Letter } from '../../tasks/inbox.ts';
import type { MemberClaim } from '../../team/held-member.ts';
import { composeNote } from '../../team/member/letters.ts';
import { Teammate } from '../../team/member/teammate.ts';
import type { MemberEnd } from '../../team/member/teammate-parts.ts';
import type { LocalMember, TeamOffice } from '../../team/office.ts';

/** What the teammates of one session share. */
export interface Crew {
  readonly office: TeamOffice;
  readonly agents: AgentKernel;
  readonly shutdownSeconds: number;
  /** Board items that a member has claimed and not completed, by id. */
  listItems(member: string): string[];
  /** Whether a report of this member was sent since then. */
  isReported(member: string, since: string): boolean;
  /** A member's state has changed. */
  changed(): void;
  warn(text: string): void;
  /** A note to the leader's model and to the user, where mail cannot be had. */
  tellLeader(text: string): void;
  /** A member's run is over. */
  ended(teammate: Teammate, local: LocalMember, end: MemberEnd): void;
}

export interface StartedTeammate {
  teammate: Teammate;
  spec: AgentSpec;
  handle: TaskHandle;
}

/** Starts a teammate in this process: an agent like any other, which stands by instead of ending. */
export async function startTeammate(
  crew: Crew,
  lead: LiveAgent,
  name: string,
  request: AgentRequest,
  signal: AbortSignal,
): Promise<Result<StartedTeammate>> {
  const { agents, office } = crew;
  const id = `t${agents.ids.token(12)}`;
  const { description } = request;
  const before = office.members.read(name);
  const claimed = office.members.claim(name, {
    ...{ kind: 'in-process', agentId: id, sessionId: agents.sessionId, description },
  });
  if (!claimed.ok) return claimed;
  const seated = openTeammate(crew, claimed.value, id);
  if (!seated.ok) return giveBack(claimed.value, office, before, seated);
  const { teammate, local } = seated.value;
  const type = request.type ?? 'general-purpose';
  const wish = { ...request, name, type, background: true, standby: teammate };
  const refuse = () => (signal.aborted ? 'The turn ended before the teammate started.' : undefined);
  const begun = await prepareAgent(agents, lead, wish, { signal, id, refuse }, (spec) => ({
    spec,
    handle: startAgent(agents, spec),
  }));
  if (!begun.ok) {
    office.leave(local);
    return giveBack(claimed.value, office, before, begun);
  }
  office.members.want(name, 'running');
  describeMember(claimed.value, begun.value.spec);
  return ok({ teammate, ...begun.value });
}

/** The same agent again, with its transcript, under a new incarnation. Without unread mail it continues only what was cut off. */
export async function resumeTeammate(
  crew: Crew,
  lead: LiveAgent,
  record: Pick<MemberRecord, 'name' | 'agentId' | 'description'>,
): Promise<Result<StartedTeammate>> {
  const { agents, office } = crew;
  const { name, agentId } = record;
  const task = agentId === null ? undefined : agents.tasks.view(agentId);
  if (agentId === null || !task) return usage(`${name} cannot be resumed: its run is no longer known.`);
  const { description } = task;
  const claimed = office.members.claim(name, {
    ...{ kind: 'in-process', agentId, sessionId: agents.sessionId, description },
  });
  if (!claimed.ok) return claimed;
  // Whoever wanted it resumed decides what becomes of it.
  const seated = openTeammate(crew, claimed.value, agentId);
  if (!seated.ok) {
    claimed.value.release('suspended', seated.problem.message);
    return seated;
  }
  const { teammate, local } = seated.value;
  const resumed = await resumeAgent(agents, lead, task, (loaded) => continueWork(loaded, teammate, crew), {
    ...{ toolUseId: `resume-${agents.ids.token(12)}`, signal: new AbortController().signal },
    ...{ background: true, standby: teammate },
  });
  if (!resumed.ok) {
    office.leave(local);
    claimed.value.release('suspended', resumed.problem.message);
    return resumed;
  }
  office.members.want(name, 'running');
  describeMember(claimed.value, resumed.value.spec);
  return ok({ teammate, ...resumed.value });
}

/** One that had said its last word is idle, once its leader has it. Any other was in the middle of something. */
function continueWork({ messages, unread }: LoadedAgent, teammate: Teammate, crew: Crew): Letter | undefined {
  const last = messages.at(-1);
  const isDone = last?.type === 'assistant' && toolUses(last.message).length === 0;
  if (isDone && !crew.isReported(teammate.name, last.timestamp))
    teammate.owe({ kind: 'completed', text: textOf(last.message.content), turns: 0, usage: noUsage });
  if (isDone || unread.length > 0) return undefined;
  return composeNote(
    'The process that ran you has ended, and you continue in a new one: go on where you stopped. A call without a result may have had an effect: look before you repeat it.',
  );
}

function openTeammate(
  crew: Crew,
  claim: MemberClaim,
  agentId: string,
): Result<{ teammate: Teammate; local: LocalMember }> {
  const { agents, office } = crew;
  const { name } = claim;
  const box = office.openBox(claim);
  if (!box.ok) return box;
  const teammate: Teammate = new Teammate({
    ...{ name, incarnation: claim.incarnation, box: box.value, team: office.name },
    ...{ clock: agents.clock, shutdownSeconds: crew.shutdownSeconds },
    warn: (text) => crew.warn(text),
    tellLeader: (text) => crew.tellLeader(text),
    colour: office.members.read(name)?.colour ?? '',
    post: (draft) => office.send(local, draft),
    findLeader: () => office.members.findIncarnation(leaderName),
    findAgent: (other) => office.find(other),
    moved: (mail, state) => office.noteMoved(mail, state),
    changed(state, reason, more) {
      claim.update({ state, reason, ...more });
      crew.changed();
    },
    listItems: () => crew.listItems(name),
    checkReport: (text) => flagSuspicions(agents.settings, text),
    ended(end) {
      office.leave(local);
      crew.ended(teammate, local, end);
    },
  });
  const local: LocalMember = { claim, member: teammate.member, agentId };
  office.enter(local);
  return ok({ teammate, local });
}

function describeMember(claim: MemberClaim, spec: AgentSpec): void {
  claim.update({
    ...{ model: spec.engine.model.id, cwd: spec.place.cwd, agentType: formatType(spec) },
    tools: spec.tools.listed.map((tool) => tool.name),
  });
}

/** A start that was rejected or failed leaves no member behind, and an earlier one as it was. */
function giveBack<T extends Result<never>>(
  claim: MemberClaim,
  office: TeamOffice,
  before: MemberRecord | undefined,
  problem: T,
): T {
  claim.release('ended');
  office.members.withdraw(claim.name, before);
  return problem;
}
