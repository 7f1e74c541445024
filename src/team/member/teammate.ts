import type { EndedPass, Standby, StandbyDesk, Waking } from '../../agents/standby.ts';
import type { Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import {
  type AgentEvent,
  type Answer,
  leaderName,
  type MailMessage,
  type MemberState,
  type Outcome,
} from '../../protocol/index.ts';
import type { Letter } from '../../tasks/inbox.ts';
import { becomeIdle } from '../idle-step.ts';
import type { MailDraft } from '../mail/post-mail.ts';
import { composePlanRequest, readPlanAnswer } from './answers.ts';
import { renderIdle } from './idle-notice.ts';
import { composeShutdownNote } from './letters.ts';
import { Member } from './member.ts';
import { Reports } from './reports.ts';
import { Requests } from './requests.ts';
import { Shutdown } from './shutdown.ts';
import type { TeammateParts } from './teammate-parts.ts';

/**
 * A teammate: an agent that reports, becomes idle and waits for mail instead of ending. The harness does all of that, not its
 * model; a request to shut down ends it whatever its model says in prose.
 */
export class Teammate implements Standby {
  readonly member: Member;
  readonly #requests: Requests;
  #desk: StandbyDesk | undefined;
  readonly #shutdown: Shutdown;
  #wake: ((waking: Waking) => void) | undefined;
  /** Its last mail to the leader since it woke. */
  #toLeader: MailMessage | undefined;
  readonly #reports: Reports;
  #isIdleTold = false;
  #lastSign: number;
  #state: MemberState = 'starting';
  #lastEnd: Outcome | undefined;
  /** Calls that run now. */
  #calls = 0;

  constructor(private readonly parts: TeammateParts) {
    this.#lastSign = parts.clock.monotonic();
    this.#requests = new Requests(parts.clock, (draft) => this.post(draft));
    this.#reports = new Reports({
      ...{ post: parts.post, check: parts.checkReport },
      failed: ({ message }) =>
        parts.tellLeader(
          `The report of ${parts.name} was not sent: ${message} SendMessage to ${parts.name} when that is settled.`,
        ),
    });
    this.#shutdown = new Shutdown({
      ...{ name: parts.name, clock: parts.clock, seconds: parts.shutdownSeconds },
      ...{ post: parts.post, findLeader: parts.findLeader },
      stop: (reason) => this.#desk?.stop(reason),
    });
    this.member = new Member({ ...parts, control: (mail) => this.#control(mail) });
  }

  get name(): string {
    return this.parts.name;
  }

  get address(): string {
    return `${this.parts.name}@${this.parts.team}`;
  }

  get colour(): string {
    return this.parts.colour;
  }

  get agentId(): string | undefined {
    return this.#desk?.agentId;
  }

  get isResting(): boolean {
    return this.#wake !== undefined;
  }

  get isAsking(): boolean {
    return this.#desk?.isAsking() === true || this.#requests.isWaiting;
  }

  /** It waits for its leader's decision on a plan. */
  get asksLeader(): boolean {
    return this.#requests.isWaiting;
  }

  /** It stopped for want of budget, and is idle. */
  get lacksBudget(): boolean {
    return this.isResting && this.#lastEnd?.kind === 'out_of_budget';
  }

  get isQueued(): boolean {
    return this.#desk?.isQueued() === true && !this.isResting;
  }

  /** Milliseconds since its model or a tool gave a sign of life. */
  silentMs(): number {
    return this.parts.clock.monotonic() - this.#lastSign;
  }

  /** It said its last word in an earlier process, which ended before it was sent to the leader. */
  owe(report: Outcome): void {
    this.#reports.owe(report);
  }

  /** A note of the harness, which wakes it. */
  tell(letter: Letter): void {
    this.#desk?.inbox.post(letter);
  }

  async post(draft: MailDraft): Promise<Result<MailMessage>> {
    const posted = await this.parts.post(draft);
    if (!posted.ok) return posted;
    this.member.noteSent(posted.value);
    if (draft.to === leaderName) this.#toLeader = posted.value;
    return posted;
  }

  attach(desk: StandbyDesk): void {
    this.#desk = desk;
    this.member.attach({
      inbox: desk.inbox,
      knows: (uuid) => desk.knows(uuid),
      keep: (letter) => desk.keep(letter),
      told: (by) => desk.told(by),
    });
  }

  note(event: AgentEvent): void {
    this.#lastSign = this.parts.clock.monotonic();
    this.member.note(event);
    this.#reports.note(event);
    if (event.type === 'tool_started') this.#calls++;
    if (event.type === 'tool_ended') this.#calls--;
    if (event.type === 'run_started' || event.type === 'turn_started' || this.#state === 'stuck')
      this.#work();
    if (event.type === 'run_started' || event.type === 'run_ended') this.#calls = 0;
  }

  #work(): void {
    this.#isIdleTold = false;
    this.#change('working', undefined);
  }

  #change(state: MemberState, reason: string | undefined, more?: { lastReport?: string }): void {
    if (state === this.#state && state === 'working') return;
    this.#state = state;
    this.parts.changed(state, reason, more);
  }

  /** It works, and nothing has been heard of it for a while. A call that runs is a reason, and so is a question. */
  noteStuck(): void {
    if (this.#state !== 'working' || this.#calls > 0 || this.isAsking || this.isQueued) return;
    const minutes = Math.round(this.silentMs() / 60_000);
    this.#change('stuck', `no sign of life for ${minutes} min`);
    this.parts.warn(`The teammate ${this.name} gives no sign of life.`);
  }

  async report(outcome: Outcome): Promise<void> {
    const sent = this.#toLeader;
    this.#toLeader = undefined;
    await this.#reports.send(outcome, sent);
  }

  async rest({ outcome, signal, noteIdle }: EndedPass): Promise<Waking> {
    const desk = this.#desk;
    if (!desk || signal.aborted) return { next: 'over' };
    this.#lastEnd = outcome;
    await this.#reports.sendOwed(outcome);
    if (this.#shutdown.isAsked) return this.#agree();
    const woken = Promise.withResolvers<Waking>();
    const wake = () => {
      if (!desk.inbox.isEmpty()) woken.resolve({ next: 'wake', tellers: this.member.takeTellers() });
    };
    const stop = () => woken.resolve({ next: 'over' });
    const forget = desk.inbox.onPost(wake);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const step = await becomeIdle({
        look: () => {
          this.member.deliver();
          return desk.inbox.isEmpty() ? [] : [true];
        },
        markIdle: () => {
          this.#wake = woken.resolve;
          this.#becomeIdle(outcome);
        },
        markWorking: () => this.#work(),
      });
      if (step.state === 'working') wake();
      else {
        await this.#tellIdle(outcome, desk);
        if (this.#wake) noteIdle();
      }
      return await woken.promise;
    } finally {
      forget();
      signal.removeEventListener('abort', stop);
      this.#wake = undefined;
    }
  }

  #becomeIdle(outcome: Outcome | undefined): void {
    const { last } = this.#reports;
    const more = last === undefined ? {} : { lastReport: last };
    const reason = this.#explainIdle(outcome);
    this.#change(isFailed(outcome) || reason === undefined ? 'idle' : 'waiting', reason, more);
  }

  #explainIdle(outcome: Outcome | undefined): string | undefined {
    if (outcome && isFailed(outcome))
      return visibleLine(`${outcome.kind}: ${outcome.reason ?? 'no reason given'}`, 300);
    const [asked] = this.member.listAsked();
    return asked ? `waits for an answer of ${asked.to}` : undefined;
  }

  /** Once for each time that it becomes idle, after its report. */
  async #tellIdle(outcome: Outcome | undefined, desk: StandbyDesk): Promise<void> {
    if (this.#isIdleTold || !outcome) return;
    this.#isIdleTold = true;
    const notice = renderIdle({
      ...{ name: this.name, reason: this.#explainIdle(outcome), report: this.#reports.last },
      ...{ background: desk.background(), items: this.parts.listItems(), owed: this.member.listOwed() },
    });
    const readers = this.member.takeIdleReaders();
    await Promise.all(readers.map((reader) => this.parts.post({ ...reader, kind: 'idle', ...notice })));
  }

  #control(mail: MailMessage): boolean {
    const { kind, from } = mail;
    if (kind === 'shutdown_request') this.#takeShutdown(mail);
    else if (kind === 'plan_approval_response' || kind === 'permission_response') {
      if (from === leaderName) this.#requests.take(mail);
    } else return kind.endsWith('_request') || kind === 'shutdown_response';
    return true;
  }

  /** Only the leader's counts. One that has nothing to lose ends at once; any other hears of it first. */
  #takeShutdown(mail: MailMessage): void {
    const desk = this.#desk;
    if (mail.from !== leaderName || !desk || !this.#shutdown.take(mail)) return;
    const isFree = this.parts.listItems().length === 0 && desk.background().length === 0;
    if (this.#wake && isFree) void this.#agree().then(this.#wake);
    else desk.inbox.post(composeShutdownNote(mail, this.parts.shutdownSeconds));
  }

  async #agree(): Promise<Waking> {
    await this.#shutdown.agree();
    return { next: 'over' };
  }

  /** Its model answers by a typed message. Returns what is true now, in words. */
  answerShutdown(message: Readonly<Record<string, unknown>>): Promise<Result<string>> {
    return this.#shutdown.answer(message);
  }

  /** Ends it now, whatever it does. */
  force(): void {
    this.#shutdown.force();
  }

  /** Its plan, for the leader's decision. Unanswered, it is rejected. */
  async askPlan(plan: { plan: string; planFilePath: string }, signal: AbortSignal): Promise<Answer> {
    const toIncarnation = this.parts.findLeader();
    if (toIncarnation === undefined) return readPlanAnswer({ problem: 'its leader is not running' });
    const { draft, ...request } = composePlanRequest(plan, signal);
    return readPlanAnswer(await this.#requests.ask({ ...request, draft: { ...draft, toIncarnation } }));
  }

  leave(outcome: Outcome | undefined): void {
    this.#shutdown.cancel();
    this.member.detach();
    this.#desk = undefined;
    this.parts.ended(this.#shutdown.end ?? { how: 'cut off', outcome });
  }
}

function isFailed(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && outcome.kind !== 'completed';
}
