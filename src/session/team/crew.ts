import type { AgentKernel } from '../../agents/kernel.ts';
import type { Clock } from '../../lib/clock.ts';
import { ok, type Result } from '../../lib/result.ts';
import {
  leaderName,
  type MailMessage,
  type MemberRecord,
  type TeamRecord,
  type TeamView,
} from '../../protocol/index.ts';
import { composeNote } from '../../team/member/letters.ts';
import { Member } from '../../team/member/member.ts';
import type { Teammate } from '../../team/member/teammate.ts';
import type { MemberEnd } from '../../team/member/teammate-parts.ts';
import { type LocalMember, TeamOffice } from '../../team/office.ts';
import type { SharedFiles } from '../../team/shared-files.ts';
import type { TeamPlace } from '../../team/team-place.ts';
import type { SessionBoard } from '../board.ts';
import type { Kernel } from '../kernel.ts';
import type { SessionLeases } from '../leases.ts';
import { checkNotLost } from '../owner.ts';
import type { OpenTeamMemory } from '../team-memory.ts';
import { MemberQuestions } from './ask-for-member.ts';
import { type CrewSeat, listSeatFacts } from './crew-seat.ts';
import { LeadMembership } from './lead-membership.ts';
import { Losses } from './losses.ts';
import { composeCutOff, explainEnd, isBroken } from './member-end.ts';
import { openFiles, openMemory } from './open-shared.ts';
import type { Crew } from './teammates.ts';
import { listOpenWork, viewTeam } from './view-team.ts';
import { type TeamWatch, watchTeam } from './watch-team.ts';

export interface TeamParts {
  readonly kernel: Kernel;
  readonly agents: AgentKernel;
  readonly board: SessionBoard;
  readonly memory: OpenTeamMemory;
  readonly leases: Pick<SessionLeases, 'share'>;
  readonly shutdownSeconds: number;
  /** Whether a run of the session's lead is in progress. */
  isLeadWorking(): boolean;
  /** The user, in another process, wants the team to end: this mail says so. */
  endTeam(mail: MailMessage): void;
}

/** What becomes of a request to shut down. `cut`: it was stopped by force, with this still open. */
export type ShutdownWord = { ended: true; cut?: string[] } | { ended: false; reason: string };

/** A team that this session takes part in: its own lead's place in it, and the teammates that run in this process. */
export class SessionCrew implements Crew {
  readonly office: TeamOffice;
  readonly agents: AgentKernel;
  readonly shutdownSeconds: number;
  readonly teammates = new Map<string, Teammate>();
  /** Plans that wait for this leader, by the id of the request. */
  readonly plans = new Map<string, { from: string; incarnation: string | undefined }>();
  /** Opens a member again that ran in a pane. */
  resumePane: (member: MemberRecord) => Promise<Result<string>> = async ({ name }) =>
    ok(`${name} is not running: it reads it when it runs again.`);
  readonly losses = new Losses((text) => this.tellLeader(text));
  #own: LocalMember | undefined;
  readonly #questions = new MemberQuestions(this);
  readonly #shutdowns = new Map<string, (end: ShutdownWord) => void>();
  #isPublishing = false;
  #hasEnded = false;
  #watch: TeamWatch | undefined;
  #membership: LeadMembership | undefined;
  #files: SharedFiles | undefined;
  #leaveMemory: () => void = () => {};

  private constructor(
    private readonly parts: TeamParts,
    office: TeamOffice,
  ) {
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
    return this.parts.kernel.place.clock;
  }

  get kernel(): Kernel {
    return this.parts.kernel;
  }

  get own(): LocalMember {
    if (!this.#own) throw new Error('the crew has no seat');
    return this.#own;
  }

  #takeSeat(seat: CrewSeat): Result<void> {
    const { kernel, agents, board } = this.parts;
    const { office } = this;
    const { cwd } = kernel.place;
    const claimed = office.members.claim(seat.name, {
      ...{ kind: seat.kind, agentId: null, sessionId: kernel.id, cwd },
      ...listSeatFacts(seat, office.members),
    });
    if (!claimed.ok) return claimed;
    const claim = claimed.value;
    const check = () => this.#hasEnded || claim.check();
    const box = office.openBox({ name: claim.name, incarnation: claim.incarnation, check });
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
    // One in a pane has its task already.
    if (seat.kind !== 'pane')
      claim.update({ state: seat.kind === 'lead' && this.parts.isLeadWorking() ? 'working' : 'idle' });
    board.joinTeam({
      ...{ name: office.name, directory: office.place.board },
      findActor: (agentId) => this.#findActor(agentId),
      listMembers: () => office.listMembers().map(({ name }) => name),
      isAlive: (name, incarnation) => office.members.isAlive(name, incarnation),
      findHolder: (name) => office.members.findIncarnation(name),
      changed: () => this.changed(),
      unblocked: (item) => this.#tellUnblocked(item.id, item.owner, item.subject),
    });
    const knows = (uuid: string) =>
      (agents.roster.find(null)?.context.conversation.records ?? kernel.opening).some(
        (one) => one.uuid === uuid,
      );
    const isLead = seat.kind === 'lead';
    this.#leaveMemory = this.parts.memory.use(openMemory(this), { inspects: isLead });
    this.#files = openFiles(this);
    this.parts.leases.share(this.#files);
    if (isLead) this.#watch = watchTeam(this, board);
    member.attach({ inbox: kernel.inbox, knows });
    return ok(undefined);
  }

  /** The leader's own agent begins or ends a run. */
  noteLead(isWorking: boolean): void {
    this.#watch?.noteLead(isWorking);
    const [asked] = isWorking ? [] : this.own.member.listAsked();
    this.own.claim.update({
      state: isWorking ? 'working' : asked ? 'waiting' : 'idle',
      ...(asked ? { reason: `waits for an answer of ${asked.to}` } : {}),
    });
    this.changed();
  }

  /** This session's part in a team that another one leads. */
  get membership(): LeadMembership | undefined {
    return this.#membership;
  }

  #findActor(agentId: string | null) {
    const local = this.office.findByAgent(agentId);
    if (local) {
      const { name, incarnation } = local.claim;
      return { name, incarnation, leads: name === leaderName };
    }
    return { name: agentId ?? leaderName, incarnation: agentId ?? undefined };
  }

  /** Its owner can begin. Without an owner every idle member may want it. */
  #tellUnblocked(id: string, owner: string | null, subject: string): void {
    const text = `Board item ${id} is no longer blocked: ${JSON.stringify(subject)}.`;
    if (owner === leaderName && !this.#membership)
      this.kernel.inbox.post(composeNote(`${text} It is yours.`));
    for (const member of [...this.teammates.values(), this.#membership])
      if (member && (owner === member.name || (owner === null && member.isResting)))
        member.tell(composeNote(`${text} ${owner === null ? 'It has no owner.' : 'It is yours.'}`));
  }

  /** Mail to the leader that the harness acts on. */
  #control(mail: MailMessage): boolean {
    const { kind, from, id, fromIncarnation } = mail;
    if (kind === 'plan_approval_request') this.plans.set(id, { from, incarnation: fromIncarnation });
    if (kind === 'shutdown_response') return this.#noteShutdown(mail);
    if (kind === 'shutdown_request' && from === 'user') this.parts.endTeam(mail);
    if (kind === 'permission_request') {
      void this.#questions.ask(mail);
      return true;
    }
    if (mail.body?.withdrawn === true) this.#questions.withdraw(mail);
    return kind === 'shutdown_request' || kind === 'plan_approval_response' || kind === 'permission_response';
  }

  /** True if a call waits for it: then its result says so. */
  #noteShutdown({ from, body, text }: MailMessage): boolean {
    const waiter = this.#shutdowns.get(from);
    this.#shutdowns.delete(from);
    const cut = body?.forced === true ? { cut: this.listOpen(from) } : {};
    const reason = typeof body?.reason === 'string' ? body.reason : text;
    waiter?.(body?.approve === false ? { ended: false, reason } : { ended: true, ...cut });
    return waiter !== undefined;
  }

  /** What a member has not finished, in words. */
  listOpen(name: string): string[] {
    const state = this.office.members.read(name)?.state;
    return listOpenWork(this.office.find(name), state, this.agents.tasks.running(), this.listItems(name));
  }

  /** Resolves when this member has ended, or has refused to. */
  awaitShutdown(name: string): Promise<ShutdownWord> {
    return new Promise((resolve) => this.#shutdowns.set(name, resolve));
  }

  listItems(member: string): string[] {
    const items = this.parts.board.current().list();
    return items.flatMap(({ id, owner, status }) =>
      owner === member && status === 'in_progress' ? [id] : [],
    );
  }

  isReported(member: string, since: string): boolean {
    const sent = this.office.listMailTo(leaderName);
    return sent.some(({ kind, from, sentAt }) => kind === 'report' && from === member && sentAt >= since);
  }

  warn(text: string): void {
    this.parts.kernel.events.warnOnce(text);
  }

  tellLeader(text: string): void {
    this.parts.kernel.events.warn(text);
    this.parts.kernel.inbox.post(composeNote(text));
  }

  /** Published once for changes that come together. */
  changed(): void {
    if (this.#isPublishing) return;
    this.#isPublishing = true;
    queueMicrotask(() => {
      this.#isPublishing = false;
      if (!this.#own) return;
      this.parts.kernel.events.tell({ type: 'team_changed', team: this.view() });
      this.#watch?.look();
      this.#questions.sweep();
    });
  }

  view(): TeamView {
    return viewTeam(this.office, this.parts.board.current().list(), this.#watch?.waits() ?? []);
  }

  ended(teammate: Teammate, local: LocalMember, end: MemberEnd): void {
    const { name } = teammate;
    const { tasks, inbox } = this.parts.kernel;
    if (this.teammates.get(name) === teammate) this.teammates.delete(name);
    // Its session ends: it continues when that is opened again.
    if (end.how === 'cut off' && tasks.isClosing) {
      local.claim.release('suspended', 'its session was closed');
      return;
    }
    const reason = explainEnd(end, local.agentId === null ? undefined : tasks.view(local.agentId));
    local.claim.release(isBroken(end) ? 'suspended' : 'ended', reason);
    if (!isBroken(end)) this.office.members.want(name, 'ended');
    this.#shutdowns.get(name)?.({ ended: true });
    this.#shutdowns.delete(name);
    const note = composeCutOff(name, end, reason);
    if (note) inbox.post(note);
    this.changed();
  }

  /** Gives up the leader's place. Its teammates have ended, or end with the session. */
  leave(state: 'ended' | 'suspended', reason?: string): void {
    const own = this.#own;
    if (!own) return;
    const hasEnded = state === 'ended' && own.claim.name === leaderName;
    if (hasEnded) own.member.deliver();
    this.#own = undefined;
    this.#questions.withdrawAll();
    own.member.dropIdle();
    own.member.detach();
    this.office.leave(own);
    own.claim.release(state, reason);
    // What the end of the team brought is read with it: nobody else reads this box from here on.
    if (hasEnded) this.#followToRead(own.member);
    this.#watch?.stop();
    this.#membership?.stop();
    this.#leaveMemory();
    this.parts.leases.share(undefined);
    this.#files?.close();
    this.parts.board.leaveTeam();
  }

  #followToRead(member: Member): void {
    this.#hasEnded = true;
    if (member.countUnread() === 0) return;
    const forget = this.parts.kernel.events.listen((event) => {
      if (event.agentId === null) member.note(event);
      if (member.countUnread() === 0) forget();
    });
  }
}
