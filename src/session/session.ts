import type { DoorView } from '../door/frames.ts';
import type { Ground } from '../landing/types.ts';
import { ok, type Problem, type Result, usage } from '../lib/result.ts';
import type { ApprovalHub } from '../permissions/approval-hub.ts';
import type { AgentEvent, Command, Outcome, TaskHandle, TaskView, TeamView } from '../protocol/index.ts';
import { noUsage } from '../protocol/index.ts';
import type { RewindReport } from '../rewind/report.ts';
import { type SpawnRequest, spawnTask } from './agents/spawn.ts';
import type { SessionCommands } from './commands.ts';
import { describeForClients } from './door.ts';
import type { OpenedPorts } from './features.ts';
import type { Kernel } from './kernel.ts';
import type { OwnCommand, OwnCommandEnd } from './lead/own-command.ts';
import type { SessionMcp } from './mcp/session-mcp.ts';
import { type StoppedStep, stopAtStep } from './moves/stop-at-step.ts';
import type { Pump } from './pump.ts';
import type { SessionRewind } from './rewind-session.ts';
import { failedOutcome, interruptedByUser } from './run-facts.ts';
import type { SessionPorts } from './session-ports.ts';
import { describeSession, type SessionInfo, SessionViews } from './session-views.ts';
import type { SessionSteps } from './steps.ts';

import type { WorkflowDesk } from './workflows/workflows.ts';

export type { SessionInfo } from './session-views.ts';

/** The entry point of a session: commands come in, events go out. It decides nothing about the work itself. */
export class Session extends SessionViews {
  readonly #kernel: Kernel;
  readonly #ports: SessionPorts;
  readonly #commands: SessionCommands;

  constructor(kernel: Kernel, { commands, ...ports }: OpenedPorts) {
    super(kernel, ports);
    this.#kernel = kernel;
    this.#ports = ports;
    this.#commands = commands;
  }

  get #pump(): Pump {
    return this.#commands.pump;
  }

  get id(): string {
    return this.#kernel.id;
  }

  /** Text without the secrets that the session knows: for logs. */
  readonly hide = (text: string): string => this.#kernel.place.secrets.hide(text);

  info(): SessionInfo {
    return describeSession(this.#kernel, this.#ports);
  }

  /**
   * Every event from now on. A slow reader may miss streamed pieces, never messages, questions or ends. One that does not read
   * at all is given up when too much waits for it: its events end, and `onOverrun` is called.
   */
  events(onOverrun?: () => void): AsyncIterable<AgentEvent> {
    return this.#kernel.events.subscribe(onOverrun);
  }

  /** Takes a command; a refused one changes nothing. The work reports through events. */
  send(command: Command): Result<void> {
    return this.#commands.send(command);
  }

  /** The commands of the tape that is played back, in order; empty without a replay. */
  recorded(): readonly Command[] {
    return this.#kernel.tape?.commands ?? [];
  }

  /** An id for a prompt that is about to be sent. In a replay it is the recorded one, which may have none. */
  promptId(): string | undefined {
    const { tape } = this.#kernel;
    return tape?.isReplay ? tape.nextPromptId() : crypto.randomUUID();
  }

  /** The session's time: in a replay the recorded one. */
  now(): number {
    return this.#kernel.place.clock.now();
  }

  /** Sends one prompt and folds its events into the outcome. */
  async run(prompt: string): Promise<Outcome> {
    const events = this.events();
    const uuid = this.#kernel.place.ids.uuid();
    const sent = this.send({ type: 'prompt', content: prompt, uuid, delivery: 'queue' });
    if (!sent.ok) return failedOutcome(sent.problem);
    for await (const event of events)
      if (event.type === 'run_ended' && event.prompts.includes(uuid)) return event.outcome;
    return { kind: 'killed', text: '', reason: 'The session was closed.', turns: 0, usage: noUsage };
  }

  /** Starts background work for the program. The lead is notified when it ends. */
  async spawn(request: SpawnRequest): Promise<Result<TaskHandle>> {
    const open = this.#commands.checkOpen();
    if (!open.ok) return open;
    const { agents, dreams, workflows, mcp } = this.#ports;
    return spawnTask(
      agents,
      request,
      { dreams, workflows },
      mcp.watching,
      () => !this.#commands.checkOpen().ok,
    );
  }

  /**
   * Continues the lead and the agents that a limit had suspended when the last process of this session ended: they wait
   * for the reset if it is still to come. False if there is nothing to continue. A surface that resumes a session calls
   * it when it listens.
   */
  continueSuspended(): boolean {
    return this.#commands.continueSuspended();
  }

  /** Runs a command of the user's own. No agent hears of it. */
  async runOwnCommand(command: OwnCommand): Promise<Result<OwnCommandEnd>> {
    const open = this.#commands.checkOpen();
    if (!open.ok) return open;
    return this.#ports.ownCommands.run(command);
  }

  /** The workflows that can be started here, and the runs of this session. */
  workflows(): WorkflowDesk {
    return this.#ports.workflows;
  }

  /** The team that this session leads, as it is now; undefined without one. */
  team(): TeamView | undefined {
    return this.#ports.team.view();
  }

  /** Creates a team that this session leads. Teammates are started by the lead, or with `spawn`. */
  async createTeam(team: { name: string; description?: string }): Promise<Result<void>> {
    const open = this.#commands.checkOpen();
    if (!open.ok) return open;
    if (typeof team?.name !== 'string') return usage('name: expected the name of the team.');
    const created = await this.#ports.team.create(team);
    return created.ok ? ok(undefined) : created;
  }

  /** Asks all teammates to shut down, and ends the team; with `force` also those that object. */
  async endTeam({ force = false }: { force?: boolean } = {}): Promise<Result<void>> {
    const open = this.#commands.checkOpen();
    if (!open.ok) return open;
    const ended = await this.#ports.team.end({ force, signal: new AbortController().signal });
    return ended.ok ? ok(undefined) : ended;
  }

  /** The user's own message to an agent, by id or name. It also resumes an agent that the user stopped. */
  async messageAgent(to: string, message: string): Promise<Result<string>> {
    return this.#commands.messageAgent(to, message);
  }

  /** Where the user reviews and lands the work of this session's agents. */
  async reviewGround(): Promise<Result<Ground>> {
    const open = this.#commands.checkOpen();
    if (!open.ok) return open;
    if (this.#kernel.tape?.isReplay) return usage('A replay touches no repository.');
    return this.#ports.findGround(this.info().cwd);
  }

  /** Ends the turn, withdraws waiting prompts, and ends all background work. Resolves when nothing runs. */
  async stopAll(): Promise<void> {
    this.withdrawPrompts();
    this.#pump.interrupt(interruptedByUser);
    await this.#kernel.tasks.killAll('the user stopped everything');
    await this.settled();
  }

  /** Present once another process has taken the session over, because this one was paused. */
  get loss(): Problem | undefined {
    return this.#kernel.claim.loss;
  }

  onLost(callback: () => void): void {
    this.#kernel.claim.onLost(callback);
  }

  /** No run begins from here on, not even for waiting prompts. The current run continues until it is interrupted. */
  beginNothing(): void {
    this.#pump.close();
  }

  /** What it is now, for those who look at it from elsewhere. */
  view(): DoorView {
    return describeForClients(this.#kernel, this.#commands, this.#ports);
  }

  /** Stops at the next step and lets go of the session: somebody else takes the step after it. It can only be closed then. */
  async stopAtStep(reason: Problem): Promise<Result<StoppedStep & { epoch: number; pid: number }>> {
    const stopped = await stopAtStep(this.#kernel, this.#pump, reason);
    const { epoch, pid } = this.#kernel.claim;
    return stopped.ok ? ok({ ...stopped.value, epoch, pid }) : stopped;
  }

  /** Where its agents stop between two steps. */
  get steps(): SessionSteps {
    return this.#kernel.steps;
  }

  /** The MCP servers of the session: their status, and what a host may ask of them. */
  mcp(): SessionMcp {
    return this.#ports.mcp;
  }

  /** Goes back to the state at a prompt. What comes in meanwhile waits. */
  async rewind(wish: SessionRewind): Promise<Result<RewindReport>> {
    const open = this.#commands.checkOpen();
    if (!open.ok) return open;
    if (typeof wish?.to !== 'string') return usage('to: expected the uuid of a prompt.');
    if (wish.stop) await this.#pump.stop(interruptedByUser);
    if (this.#pump.isBusy) return usage('The agent is working.', 'Stop it first, or set `stop`.');
    const work = import('./rewind-session.ts').then(({ runSessionRewind }) =>
      runSessionRewind(this.#kernel, this.#ports, wish),
    );
    this.#pump.pauseFor(work);
    return work;
  }

  queuedPrompts(): string[] {
    return this.#kernel.inbox.queuedPrompts();
  }

  /** Withdraws a prompt that was not read yet. Not with a tape, where a sent prompt is already recorded. */
  withdrawPrompt(uuid: string): boolean {
    const { inbox, tape } = this.#kernel;
    if (tape) return false;
    const taken = inbox.takeWhere((letter) => letter.origin.kind === 'human' && letter.uuid === uuid);
    this.#commands.forgetPrompts([uuid]);
    return taken.length > 0;
  }

  /** Whether a compaction was requested and has not begun. */
  get waitsToCompact(): boolean {
    return this.#pump.waitsToCompact;
  }

  /** Withdraws it, like a prompt that was not read yet. */
  withdrawCompaction(): boolean {
    return this.#kernel.tape === undefined && this.#pump.withdrawCompaction();
  }

  withdrawPrompts(): string[] {
    const withdrawn = this.#kernel.inbox.withdrawPrompts();
    this.#commands.forgetPrompts(withdrawn);
    return withdrawn;
  }

  /** Resolves when no run is in progress and the inbox is empty. Members of a team that are being resumed may add to it. */
  async settled(): Promise<void> {
    await this.#ports.team.resumed();
    await this.#pump.settled();
  }

  /** Resolves when neither a run nor such background work is in progress, or when the signal fires. */
  async finished(signal: AbortSignal, counts: (task: TaskView) => boolean = () => true): Promise<void> {
    const gaveUp = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    for (;;) {
      await this.settled();
      // Something may have arrived between its end and this line.
      if (this.#pump.isBusy) continue;
      const { tasks } = this.#kernel;
      const ends = tasks
        .running()
        .filter((task) => !task.isResting && counts(task))
        .map((task) => tasks.find(task.id)?.result());
      const early = this.#kernel.tape?.early();
      if (signal.aborted || (ends.length === 0 && !early)) return;
      await Promise.race([...ends, ...(early ? [early] : []), gaveUp, this.#nextChange()]);
    }
  }

  /** A teammate that becomes idle has not ended, and is no longer waited for. */
  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const forget = this.#kernel.events.onChange(() => {
        forget();
        resolve();
      });
    });
  }

  /**
   * Ends the run and all background work, and cleans up. The session can be resumed. A problem is about the tape: it
   * could not be written, or the replay diverged from its recording.
   */
  async close(): Promise<Result<void>> {
    if (!this.#commands.close()) return ok(undefined);
    const { events, questions, tape, tasks } = this.#kernel;
    tape?.leave();
    await this.#ports.moves.left();
    await tasks.close('the session ended');
    await this.settled();
    // Those that were being resumed meanwhile.
    await tasks.close('the session ended');
    questions.approvals.leave('The session was closed.');
    this.#ports.lead.keepUnread();
    const closed = await this.#ports.features.close();
    events.close();
    return closed;
  }

  /** The queue that this session's questions wait in. */
  get approvals(): ApprovalHub {
    return this.#kernel.questions.approvals.hub;
  }

  /** No one will answer questions from here on. */
  leave(reason: string): void {
    this.#kernel.questions.approvals.leave(reason);
  }
}
