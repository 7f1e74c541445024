import type { AgentKernel } from '../../agents/kernel.ts';
import type { Clock } from '../../lib/clock.ts';
import { ok, type Result } from '../../lib/result.ts';
import {
  leaderName,
  type MailMessage,
  type MemberRecord,
  type OutcomeKind,
  type TeamRecord,
  type TeamView,
} from '../../protocol/index.ts';
import { composeNote } from '../../team/member/letters.ts';
import { Member } from '../../team/member/member.ts';
import type { MemberEnd, Teammate } from '../../team/member/teammate.ts';
import { type LocalMember, TeamOffice } from '../../team/office.ts';
import { openSharedFiles, type SharedFiles } from '../../team/shared-files.ts';
import type { TeamPlace } from '../../team/team-place.ts';
import type { SessionBoard } from '../board.ts';
import type { Kernel } from '../kernel.ts';
import type { SessionLeases } from '../leases.ts';
import { checkNotLost } from '../owner.ts';
import type { OpenTeamMemory } from '../team-memory.ts';
import { askForMember } from './ask-for-member.ts';
import { LeadMembership } from './lead-membership.ts';
import { openMemory } from './open-memory.ts';
import type { Crew } from './teammates.ts';
import { type TeamWatch, watchTeam } from './watch-team.ts';

export interface TeamParts {
  readonly kernel: Kernel;
  readonly agents: AgentKernel;
  readonly board: SessionBoard;
  readonly memory: OpenTeamMemory;
  readonly leases: Pick<SessionLeases, 'share'>;
  readonly shutdownSeconds: number;
  /** The user, in another process, wants the team to end. */
  endTeam(force: boolean): void;
}

/** The place in a team that a session's own lead takes. */
export interface CrewSeat {
  readonly name: string;
  readonly kind: 'lead' | 'pane' | 'session';
  /** A member's session ends with its part in the team. */
  endSession(reason: string): void;
}

/** What becomes of requests to shut down, by member. */
export type ShutdownWord = { ended: true } | { ended: false; reason: string };

/** A team that this session takes part in: its own lead's place in it, and the teammates that run in this process. */
export class SessionCrew implements Crew {
  readonly office: TeamOffice;
  readonly agents: AgentKernel;
  readonly shutdownSeconds: number;
  readonly teammates = new Map<string, Teammate>();
  /** Plans that wait for this leader, by the id of the request. */
  readonly plans = new Map<string, { from: string; incarnation: string | undefined }>();
  readonly #parts: TeamParts;
  #own: LocalMember | undefined;
  readonly #shutdowns = new Map<string, (end: ShutdownWord) => void>();
  #isPublishing = false;
  #watch: TeamWatch | undefined;
  #membership: LeadMembership | undefined;
  #files: SharedFiles | undefined;

  private constructor(parts: TeamParts, office: TeamOffice) {
    this.#parts = parts;
    this.office = office;
    this.agents = parts.agents;
    this.shutdownSeconds = parts.shutdownSeconds;
  }

  /** Takes an address, the leader's unless another is given, and its mail from then on. */
  static open(
    parts: TeamParts,
    place: TeamPlace,
    record: TeamRecord,
    seat: CrewSeat = { name: leaderName, kind: 'lead', endSession() {} },
  ): Result<SessionCrew> {
    const { kernel } = parts;
    const { machine, clock } = kernel.place;
    let crew: SessionCrew | undefined;
    const office = TeamOffice.open({
      ...{ place, record, machine, clock },
      mayAct: () => checkNotLost(kernel.claim).ok,
      moved: (mail, state) => kernel.events.tell({ type: 'mail_moved', mail, state }),
      warn: (text) => crew?.warn(text),
    });
    if (!office.ok) return office;
    crew = new SessionCrew(parts, office.value);
    const seated = crew.#takeSeat(seat);
    return seated.ok ? ok(crew) : seated;
  }

  get clock(): Clock {
    return this.#parts.kernel.place.clock;
  }

  get kernel(): Kernel {
    return this.#parts.kernel;
  }

  get own(): LocalMember {
    if (!this.#own) throw new Error('the crew has no seat');
    return this.#own;
  }

  #takeSeat(seat: CrewSeat): Result<void> {
    const { kernel, agents, board } = this.#parts;
    const { office } = this;
    const { cwd } = kernel.place;
    const claimed = office.members.claim(seat.name, {
      ...{ kind: seat.kind, agentId: null, sessionId: kernel.id, cwd },
      ...(seat.kind === 'lead' ? { agentType: leaderName } : {}),
    });
    if (!claimed.ok) return claimed;
    const claim = claimed.value;
    const box = office.openBox(claim);
    if (!box.ok) {
      claim.release();
      return box;
    }
    const member = new Member({
      ...{ name: claim.name, incarnation: claim.incarnation, box: box.value },
      control: (mail) => this.#membership?.control(mail) ?? this.#control(mail),
      findAgent: (name) => office.find(name),
      moved: (mail, state) => office.noteMoved(mail, state),
      warn: (text) => this.warn(text),
    });
    this.#own = { claim, member, agentId: null };
    office.enter(this.#own);
    if (seat.kind !== 'lead') this.#membership = new LeadMembership(this, seat.endSession);
    claim.update({ state: seat.kind === 'lead' ? 'working' : 'idle' });
    board.joinTeam({
      ...{ name: office.name, directory: office.place.board },
      findActor: (agentId) => this.#findActor(agentId),
      listMembers: () => office.members.list().map(({ name }) => name),
      isAlive: (name, incarnation) => office.members.isAlive(name, incarnation),
      findHolder: (name) => office.members.findIncarnation(name),
      changed: () => this.changed(),
      unblocked: (item) => this.#tellUnblocked(item.id, item.owner, item.subject),
    });
    const knows = (uuid: string) =>
      (agents.roster.find(null)?.context.conversation.records ?? kernel.opening).some(
        (one) => one.uuid === uuid,
      );
    this.#parts.memory.use(openMemory(this.office.place, kernel, (text) => this.warn(text)));
    this.#files = this.#openFiles();
    this.#parts.leases.share(this.#files);
    if (seat.kind === 'lead') this.#watch = watchTeam(this, board);
    member.attach({ inbox: kernel.inbox, knows });
    return ok(undefined);
  }

  #openFiles(): SharedFiles {
    const { machine, clock } = this.#parts.kernel.place;
    const nameHolder = (agentId: string | null) =>
      `${this.office.findByAgent(agentId)?.claim.name ?? this.own.claim.name}@${this.office.name}`;
    return openSharedFiles({ place: this.office.place, machine, clock, nameHolder });
  }

  /** This session's part in a team that another one leads. */
  get membership(): LeadMembership | undefined {
    return this.#membership;
  }

  get watch(): TeamWatch | undefined {
    return this.#watch;
  }

  #findActor(agentId: string | null) {
    const local = this.office.findByAgent(agentId);
    if (local)
      return {
        ...{
          name: local.claim.name,
          incarnation: local.claim.incarnation,
          leads: local.claim.name === leaderName,
        },
      };
    return { name: agentId ?? leaderName, incarnation: agentId ?? undefined };
  }

  /** Whoever has it can begin. Without an owner every idle member may want it. */
  #tellUnblocked(id: string, owner: string | null, subject: string): void {
    const text = `Board item ${id} is no longer blocked: ${JSON.stringify(subject)}.`;
    for (const [name, teammate] of this.teammates)
      if (owner === name || (owner === null && teammate.isResting))
        teammate.tell(composeNote(owner === name ? `${text} It is yours.` : `${text} It has no owner.`));
  }

  /** Mail to the leader that the harness acts on. */
  #control(mail: MailMessage): boolean {
    const { kind, from, id, fromIncarnation } = mail;
    if (kind === 'plan_approval_request') this.plans.set(id, { from, incarnation: fromIncarnation });
    if (kind === 'shutdown_response') return this.#noteShutdown(mail);
    if (kind === 'shutdown_request' && from === 'user') this.#parts.endTeam(mail.body?.force === true);
    if (kind === 'permission_request') {
      void askForMember(this, mail);
      return true;
    }
    return kind === 'shutdown_request' || kind === 'plan_approval_response' || kind === 'permission_response';
  }

  /** True if a call waits for it: then its result says so. */
  #noteShutdown({ from, body, text }: MailMessage): boolean {
    const waiter = this.#shutdowns.get(from);
    this.#shutdowns.delete(from);
    waiter?.(body?.approve === false ? { ended: false, reason: text } : { ended: true });
    return waiter !== undefined;
  }

  /** Resolves when this member has ended, or has refused to. */
  awaitShutdown(name: string): Promise<ShutdownWord> {
    return new Promise((resolve) => this.#shutdowns.set(name, resolve));
  }

  listItems(member: string): string[] {
    const items = this.#parts.board.current().list();
    return items.flatMap(({ id, owner, status }) =>
      owner === member && status === 'in_progress' ? [id] : [],
    );
  }

  isReported(member: string, since: string): boolean {
    const sent = this.office.listMailTo(leaderName);
    return sent.some(({ kind, from, sentAt }) => kind === 'report' && from === member && sentAt >= since);
  }

  warn(text: string): void {
    this.#parts.kernel.events.warnOnce(text);
  }

  /** Published once for changes that come together. */
  changed(): void {
    if (this.#isPublishing) return;
    this.#isPublishing = true;
    queueMicrotask(() => {
      this.#isPublishing = false;
      if (!this.#own) return;
      this.#parts.kernel.events.tell({ type: 'team_changed', team: this.view() });
      this.#watch?.look();
    });
  }

  view(): TeamView {
    const { record } = this.office;
    return {
      name: record.name,
      ...(record.description === undefined ? {} : { description: record.description }),
      members: this.office.members.list().map((member) => this.#viewMember(member)),
      waits: this.#watch?.waits() ?? [],
    };
  }

  #viewMember(record: MemberRecord): TeamView['members'][number] {
    const { name, kind, agentId, agentType, colour, state, reason, stateSince, model } = record;
    return {
      ...{ name, kind, agentId, colour, state, stateSince },
      ...(agentType === undefined ? {} : { agentType }),
      ...(reason === undefined ? {} : { reason }),
      ...(model === undefined ? {} : { model }),
      unread: this.office.find(name)?.member.countUnread() ?? 0,
      items: this.listItems(name),
    };
  }

  ended(teammate: Teammate, local: LocalMember, end: MemberEnd): void {
    const { name } = teammate;
    const { kernel } = this.#parts;
    if (this.teammates.get(name) === teammate) this.teammates.delete(name);
    // Its session ends: it continues when that is opened again.
    if (end.how === 'cut off' && kernel.tasks.isClosing) {
      local.claim.release('suspended', 'its session was closed');
      return;
    }
    const reason = this.#explainEnd(local, end);
    local.claim.release('ended', reason);
    this.office.members.want(name, 'ended');
    this.#shutdowns.get(name)?.({ ended: true });
    this.#shutdowns.delete(name);
    if (end.how === 'cut off') this.#tellCutOff(name, reason, end.outcome?.kind);
    this.changed();
  }

  #explainEnd({ agentId }: LocalMember, end: MemberEnd): string {
    if (end.how === 'agreed') return 'it shut down as its leader asked';
    if (end.how === 'forced') return 'it was stopped, since it did not shut down in time';
    const task = agentId === null ? undefined : this.#parts.kernel.tasks.view(agentId);
    return task?.stoppedBy === 'user' ? 'the user stopped it' : (end.outcome?.reason ?? 'it was stopped');
  }

  /** The leader would wait for a report that never comes. One that somebody stopped is no reason to run. */
  #tellCutOff(name: string, reason: string, kind: OutcomeKind | undefined): void {
    const text = `The teammate ${name} has ended without a report: ${reason}. SendMessage to ${name} resumes it.`;
    const isStopped = kind === undefined || kind === 'interrupted' || kind === 'killed';
    this.#parts.kernel.inbox.post(composeNote(text, isStopped ? { isQuiet: true } : {}));
  }

  /** Gives up the leader's place. Its teammates have ended, or end with the session. */
  leave(state: 'ended' | 'suspended'): void {
    const own = this.#own;
    this.#own = undefined;
    if (!own) return;
    own.member.detach();
    this.office.leave(own);
    own.claim.release(state);
    this.#watch?.stop();
    this.#membership?.stop();
    this.#parts.memory.use(undefined);
    this.#parts.leases.share(undefined);
    this.#files?.close();
    this.#parts.board.leaveTeam();
  }
}
