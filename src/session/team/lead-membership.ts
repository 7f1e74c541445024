import { flagSuspicions } from '../../agents/handoff-check.ts';
import type { AgentKernel } from '../../agents/kernel.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import {
  type AgentEvent,
  type Answer,
  leaderName,
  type MailMessage,
  type MemberWait,
  type Outcome,
  type Question,
} from '../../protocol/index.ts';
import type { Letter } from '../../tasks/inbox.ts';
import { becomeIdle } from '../../team/idle-step.ts';
import { composePlanRequest, readAnswer, readPlanAnswer } from '../../team/member/answers.ts';
import { askLeader, type LeaderQuestion } from '../../team/member/ask-leader.ts';
import { renderIdle } from '../../team/member/idle-notice.ts';
import { composeShutdownNote } from '../../team/member/letters.ts';
import { Reports } from '../../team/member/reports.ts';
import { type RequestEnd, Requests } from '../../team/member/requests.ts';
import { Shutdown, type ShutdownEnd } from '../../team/member/shutdown.ts';
import type { LocalMember, TeamOffice } from '../../team/office.ts';
import type { Kernel } from '../kernel.ts';
import { describeAsked, describeQuestion } from './list-waits.ts';
import { watchOtherMembers } from './watch-members.ts';

/** The session around it. */
export interface MemberSession {
  readonly office: TeamOffice;
  readonly own: LocalMember;
  readonly clock: Clock;
  readonly kernel: Kernel;
  readonly agents: AgentKernel;
  readonly shutdownSeconds: number;
  listItems(member: string): string[];
  /** Its own state has changed. */
  changed(): void;
  warn(text: string): void;
}

/** A question that nobody answers in time is denied. */
const questionPatienceMs = 10 * 60 * 1000;

/**
 * The lead of this session as a member of a team that another session leads: in a pane, or joined by the user. It reports,
 * becomes idle and shuts down by the same rules as a teammate in the leader's process.
 */
export class LeadMembership {
  /** Its place, also while its session closes. */
  readonly #own: LocalMember;
  readonly #shutdown: Shutdown;
  readonly #requests: Requests;
  readonly #asked = new Set<string>();
  readonly #forget: () => void;
  readonly #unwatch: () => void;
  readonly #left = new AbortController();
  #isWorking = false;
  /** Those of its own session that wait for an answer. */
  #questions: readonly Question[] = [];
  readonly #reports: Reports;

  constructor(
    private readonly crew: MemberSession,
    endSession: (reason: string) => void,
  ) {
    this.#own = crew.own;
    const post = (draft: Parameters<MemberSession['office']['send']>[1]) =>
      crew.office.send(this.#own, draft);
    const findLeader = () => crew.office.members.findIncarnation(leaderName);
    this.#shutdown = new Shutdown({
      ...{ name: crew.own.claim.name, clock: crew.clock, seconds: crew.shutdownSeconds, post, findLeader },
      stop: endSession,
    });
    this.#requests = new Requests(crew.clock, post);
    this.#reports = new Reports({
      post,
      check: (text) => flagSuspicions(crew.agents.settings, text),
      failed: ({ message }) => crew.warn(`The report did not reach the leader of the team. ${message}`),
    });
    const { hub } = crew.kernel.questions.approvals;
    this.#forget = hub.subscribe((waiting) => {
      const own = waiting.flatMap(({ question }) =>
        question.sessionId === crew.kernel.id ? [question] : [],
      );
      this.#questions = own;
      this.#own.claim.update(this.#describeWaits());
      for (const question of own) if (!this.#asked.has(question.id)) void this.#bridge(question);
    });
    this.#unwatch = watchOtherMembers(crew.office, crew.clock, () => crew.changed());
    this.#endSession = endSession;
  }

  readonly #endSession: (reason: string) => void;

  /** Mail that the harness acts on. */
  control(mail: MailMessage): boolean {
    const { kind, from } = mail;
    if (kind === 'shutdown_request') {
      if (from === leaderName && this.#shutdown.take(mail)) this.#heed(mail);
      return true;
    }
    if (kind === 'plan_approval_response' || kind === 'permission_response') {
      if (from === leaderName) this.#requests.take(mail);
      return true;
    }
    return kind.endsWith('_request') || kind === 'shutdown_response';
  }

  /** One that has nothing to lose ends at once; any other hears of it first. */
  #heed(mail: MailMessage): void {
    const isFree = this.#listItems().length === 0 && this.#listBackground().length === 0;
    if (this.isResting && isFree) void this.#agree();
    else this.tell(composeShutdownNote(mail, this.crew.shutdownSeconds));
  }

  get name(): string {
    return this.#own.claim.name;
  }

  get isResting(): boolean {
    return !this.#isWorking;
  }

  /** A note of the harness, which wakes it. */
  tell(letter: Letter): void {
    this.crew.kernel.inbox.post(letter);
  }

  #listItems(): string[] {
    return this.crew.listItems(this.name);
  }

  #listBackground(): string[] {
    return this.crew.kernel.tasks
      .running()
      .flatMap(({ owner, description }) => (owner === null ? [description] : []));
  }

  async #agree(): Promise<void> {
    await this.#shutdown.agree();
    this.#endSession('the leader of its team asked it to shut down');
  }

  /** How it ended, if its leader had asked for it. */
  get end(): ShutdownEnd | undefined {
    return this.#shutdown.end;
  }

  answerShutdown(message: Readonly<Record<string, unknown>>): Promise<Result<string>> {
    return this.#shutdown.answer(message);
  }

  note(event: AgentEvent): void {
    this.#reports.note(event);
    if (event.type === 'run_started') {
      this.#isWorking = true;
      this.#own.claim.update({ state: 'working', ...this.#describeWaits() });
      this.crew.changed();
    }
    if (event.type === 'run_ended') void this.#finish(event.outcome);
  }

  async #finish(outcome: Outcome): Promise<void> {
    const { kernel } = this.crew;
    const own = this.#own;
    await this.#reports.send(outcome);
    if (this.#shutdown.isAsked) return this.#agree();
    const step = await becomeIdle({
      look: () => {
        own.member.deliver();
        return kernel.inbox.isEmpty() ? [] : [true];
      },
      markIdle: () => this.#markIdle(outcome),
      markWorking: () => void own.claim.update({ state: 'working' }),
    });
    if (step.state === 'idle') await this.#tellIdle(outcome);
  }

  #markIdle(outcome: Outcome): void {
    this.#isWorking = false;
    const [asked] = this.#own.member.listAsked();
    const reason = this.#explain(outcome);
    const { last } = this.#reports;
    this.#own.claim.update({
      ...{ state: asked ? 'waiting' : 'idle', ...(reason === undefined ? {} : { reason }) },
      ...this.#describeWaits(),
      ...(last === undefined ? {} : { lastReport: last }),
    });
    this.crew.changed();
  }

  /** Questions, and while it has nothing to do also the members that it has asked. */
  #describeWaits(): { waits: MemberWait[] | undefined } {
    const asked = this.#isWorking ? [] : describeAsked(this.#own.member);
    const waits = [...this.#questions.map(describeQuestion), ...asked];
    return { waits: waits.length > 0 ? waits : undefined };
  }

  #explain({ kind, reason }: Outcome): string | undefined {
    const [asked] = this.#own.member.listAsked();
    if (kind === 'completed') return asked && `waits for an answer of ${asked.to}`;
    return visibleLine(`${kind}: ${reason ?? 'no reason given'}`, 300);
  }

  async #tellIdle(outcome: Outcome): Promise<void> {
    const own = this.#own;
    const notice = renderIdle({
      ...{ name: this.name, reason: this.#explain(outcome), report: this.#reports.last },
      ...{ background: this.#listBackground(), items: this.#listItems(), owed: own.member.listOwed() },
    });
    for (const reader of own.member.takeIdleReaders())
      await this.crew.office.send(own, { ...reader, kind: 'idle', ...notice });
  }

  /** Its question also goes to the leader's queue; the first answer counts, here or there. */
  async #bridge(question: Question): Promise<void> {
    this.#asked.add(question.id);
    const { hub } = this.crew.kernel.questions.approvals;
    const end = await this.#askLeader({
      draft: { to: leaderName, kind: 'permission_request', text: question.summary, body: { question } },
      ...{ answer: 'permission_response', patienceMs: questionPatienceMs, signal: this.#left.signal },
      isOver: () => !hub.waiting().some((one) => one.question.id === question.id),
    });
    const answer = 'mail' in end ? readAnswer(end.mail) : undefined;
    if (answer) this.crew.kernel.questions.approvals.answer(question.id, answer, 'person');
  }

  async askPlan(plan: { plan: string; planFilePath: string }, signal: AbortSignal): Promise<Answer> {
    return readPlanAnswer(await this.#askLeader(composePlanRequest(plan, signal)));
  }

  #askLeader(question: LeaderQuestion): Promise<RequestEnd> {
    const { office, clock } = this.crew;
    return askLeader(question, {
      ...{ requests: this.#requests, clock },
      findLeader: () => office.members.findIncarnation(leaderName),
    });
  }

  stop(): void {
    this.#left.abort();
    this.#shutdown.cancel();
    this.#forget();
    this.#unwatch();
  }
}
