import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkCommand } from '../door/check-command.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import {
  type Command,
  isAgentTask,
  type MovedPrompt,
  type SessionState,
  type TaskRecord,
} from '../protocol/index.ts';
import { createSessionLayout } from '../store/layout.ts';
import type { Letter } from '../tasks/inbox.ts';
import { continueWork } from './continue-suspended.ts';
import type { Kernel } from './kernel.ts';
import type { SessionFeature } from './opening.ts';
import { Pump } from './pump.ts';
import { interruptedByUser, writeLetter } from './run-facts.ts';
import { SentPrompts } from './sent-prompts.ts';
import type { SessionPorts } from './session-ports.ts';
import { moveToBackground, stopTask } from './tasks.ts';
import { describeWaiting } from './waiting-prompts.ts';

/** Commands from every surface, and the runs that follow from them. */
export function commandFeature(ports: SessionPorts): SessionFeature<{ commands: SessionCommands }> {
  return {
    name: 'commands',
    open(kernel) {
      const commands = new SessionCommands(kernel, ports);
      return {
        commands,
        ready() {
          commands.listen();
          commands.findRemote();
          commands.takeReturned();
        },
      };
    },
  };
}

/** Takes commands and keeps the session's state. It decides nothing about the work; the pump drives the runs. */
export class SessionCommands {
  readonly pump: Pump;
  readonly #prompts: SentPrompts;
  readonly #kernel: Kernel;
  readonly #ports: SessionPorts;
  #state: SessionState = 'idle';
  #closed = false;
  #isContinued = false;
  /** Text that goes before the first prompt, from the agent's definition. */
  #initialPrompt: string | undefined;

  constructor(kernel: Kernel, ports: SessionPorts) {
    this.#kernel = kernel;
    this.#ports = ports;
    this.#initialPrompt = kernel.restored ? undefined : ports.definitions.main?.initialPrompt;
    this.#prompts = new SentPrompts(kernel, kernel.waiting);
    this.pump = new Pump(kernel, ports, () => this.#updateState());
  }

  get state(): SessionState {
    return this.#state;
  }

  /** From here on, a posted letter starts a run. Letters posted while the session opened wait for the first run. */
  listen(): void {
    this.#kernel.inbox.onPost(() => this.pump.wake());
    this.#kernel.events.onChange(() => this.#updateState());
    this.#kernel.events.listen((event) => this.#prompts.follow(event));
  }

  /** Work that the user returned to its agents while the session was closed. They have it before the first run. */
  takeReturned(): void {
    const { identity, tape, log, id } = this.#kernel;
    if (!identity.goesOn || tape?.isReplay || log.path === null) return;
    const { returned } = createSessionLayout(dirname(log.path), id);
    if (existsSync(returned)) this.pump.pauseFor(this.#deliver(returned));
  }

  /** Remote agents ran on while the session was closed. They are there before the first run. */
  findRemote(): void {
    const { identity, tape, restored } = this.#kernel;
    const { agents, remote } = this.#ports;
    const isConcerned = (restored?.remote.length ?? 0) > 0 || restored?.tasks.some(isRemote) === true;
    if (!identity.goesOn || tape || !isConcerned) return;
    this.pump.pauseFor(
      import('./remote-agents/continue-jobs.ts').then(({ continueJobs }) =>
        continueJobs(this.#kernel, agents, remote.parts),
      ),
    );
  }

  /**
   * Continues what a limit had suspended when the last process of the session ended, and reads the prompts that waited then. False if
   * there is nothing.
   */
  continueSuspended(): boolean {
    const { identity, restored, tape, waiting } = this.#kernel;
    if (this.#isContinued || tape || this.#closed) return false;
    const { suspended, taken, moved } = (identity.goesOn ? restored : undefined) ?? {};
    const count = waiting.length;
    if (!suspended && !taken && count === 0) return false;
    this.#isContinued = true;
    // Not before the pump holds: a letter would start a run at once.
    if (suspended || taken)
      this.pump.pauseFor(
        Promise.resolve()
          .then(() => continueWork(suspended, this.#kernel, this.#ports))
          .then(() => this.#repeat(taken ? (moved?.prompts ?? []) : [])),
      );
    // A session that was moved has not ended: its prompts moved with it.
    if (count > 0 && !taken) this.#kernel.events.warn(describeWaiting(count));
    this.pump.wake();
    return suspended !== undefined || count > 0 || (taken !== undefined && (moved?.prompts ?? []).length > 0);
  }

  /** Prompts that another holder had not read. One that it has read after all is known by its id. */
  #repeat(prompts: readonly MovedPrompt[]): void {
    const known = new Set(this.#kernel.opening.map(({ uuid }) => uuid));
    for (const prompt of prompts)
      if (prompt.uuid === undefined || !known.has(prompt.uuid)) this.send({ type: 'prompt', ...prompt });
  }

  /** Whether this prompt is kept until it has been read, whatever becomes of this process. */
  isStored(uuid: string): boolean {
    return this.#prompts.isStored(uuid);
  }

  async #deliver(directory: string): Promise<void> {
    const { listReturned, removeReturned } = await import('../store/returned-work.ts');
    for (const { file, letter } of listReturned(directory)) {
      const { to, message, worktree } = letter;
      const sent =
        to === null
          ? this.send({ type: 'prompt', content: message, delivery: 'queue' })
          : await this.messageAgent(to, message);
      // It waits for the next resume.
      if (this.#closed && !sent.ok) return;
      removeReturned(file);
      const name = visibleLine(worktree, 100);
      this.#kernel.events.warn(
        sent.ok
          ? `The worktree ${name}, which you returned, is back with its agent.`
          : `The worktree ${name}, which you returned, did not reach its agent: ${sent.problem.message} What was sent: ${message}`,
      );
    }
  }

  /** Succeeds until the session is closed, or another process has taken it over. */
  checkOpen(): Result<void> {
    if (this.#closed) return usage('The session is closed.', 'Open it again with `resume`.');
    return this.#kernel.claim.check();
  }

  /** False if it was already closed. */
  close(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    this.pump.close();
    this.pump.interrupt('The session was closed.');
    return true;
  }

  /** A refused command changes nothing. The work reports through events. */
  send(command: Command): Result<void> {
    const open = this.checkOpen();
    if (!open.ok) return open;
    const checked = checkCommand(command);
    if (!checked.ok) return checked;
    const { tape } = this.#kernel;
    return tape ? tape.takeCommand(command, () => this.#take(command)) : this.#take(command);
  }

  /** These were withdrawn before they were read: they may be sent again. */
  forgetPrompts(uuids: readonly string[]): void {
    this.#prompts.forget(uuids);
  }

  /** The user's own message to an agent, by id or name. It also resumes an agent that the user stopped. */
  async messageAgent(to: string, message: string): Promise<Result<string>> {
    const open = this.checkOpen();
    if (!open.ok) return open;
    const checked = checkCommand({ type: 'message_agent', to, message });
    if (!checked.ok) return checked;
    const { tape } = this.#kernel;
    if (!tape) return this.#message(to, message);
    const done = Promise.withResolvers<Result<string>>();
    const taken = tape.takeCommand({ type: 'message_agent', to, message }, () => {
      void this.#message(to, message).then(done.resolve);
      return ok(undefined);
    });
    return taken.ok ? done.promise : taken;
  }

  #take(command: Command): Result<void> {
    if (mayFix(command)) this.#ports.lead.noteUserAction();
    switch (command.type) {
      case 'prompt':
        if (this.#prompts.isKnown(command.uuid)) return ok(undefined);
        if (command.isQuiet) return this.#hear(command);
        this.#instruct(command);
        this.#post(command);
        return ok(undefined);
      case 'interrupt':
        this.pump.interrupt(interruptedByUser);
        return ok(undefined);
      case 'answer':
        return this.#kernel.questions.approvals.take(command);
      case 'set_permission_mode':
        return this.#ports.lead.setMode(command.mode);
      case 'set_model':
        return this.#ports.lead.setModel(command.model);
      case 'set_effort':
        return this.#ports.lead.setEffort(command.effort);
      case 'stop_task':
        return stopTask(this.#ports.agents, command.taskId, command.runId);
      case 'skip_workflow_call':
        return this.#ports.workflows.skip(command.runId, command.callId)
          ? ok(undefined)
          : usage(`Run ${command.runId} has no open call ${command.callId}.`);
      case 'background_tasks':
        return moveToBackground(this.#ports.agents, command.toolUseId);
      case 'message_agent':
        return this.#startMessage(command.to, command.message);
      case 'move':
        return this.#ports.moves.begin(command, this.pump);
      case 'compact':
        this.pump.compact(command.instructions);
        return ok(undefined);
    }
  }

  #post(command: Extract<Command, { type: 'prompt' }>): void {
    const delivery = this.#state === 'idle' ? 'queue' : (command.delivery ?? 'steer');
    const first = this.#initialPrompt;
    this.#initialPrompt = undefined;
    const letter = this.#store(writeLetter(command, delivery, first));
    this.#kernel.inbox.post(letter);
  }

  /** One without a uuid that nothing is ahead of is the first thing that its run records. */
  #store(letter: Letter): Letter {
    if (letter.uuid === undefined && !this.pump.isBusy) return letter;
    const uuid = letter.uuid ?? this.#kernel.place.ids.uuid();
    this.#prompts.note(uuid, letter);
    return { ...letter, uuid };
  }

  /** Between runs it joins the conversation at once; a run in progress is not the place for it. */
  #hear(command: Extract<Command, { type: 'prompt' }>): Result<void> {
    const letter = writeLetter(command, 'queue');
    if (this.pump.isBusy) {
      this.#kernel.inbox.postQuietly(this.#store(letter));
      return ok(undefined);
    }
    return this.#ports.lead.hear(letter.content, letter.origin, letter.uuid);
  }

  /** The mode's instructions come before the prompt that they apply to. */
  #instruct({ delivery }: Extract<Command, { type: 'prompt' }>): void {
    const text = this.#ports.lead.takeInstructions();
    if (text === undefined) return;
    const when = this.#state === 'idle' ? 'queue' : (delivery ?? 'steer');
    // Does not wake the lead: this alone is not a reason to run.
    this.#kernel.inbox.postQuietly({
      delivery: when,
      content: [{ type: 'text', text }],
      origin: { kind: 'harness' },
    });
  }

  /** Whoever sent it does not hear what came of it; the user does. */
  #startMessage(to: string, message: string): Result<void> {
    const { agents } = this.#ports;
    const task = agents.tasks.view(to);
    const isMember = agents.teams?.listAddresses(null).includes(to.split('@', 1)[0] ?? '') === true;
    if (!isMember && (!task || !isAgentTask(task)))
      return usage(`There is no agent "${visibleLine(to, 100)}" in this session.`);
    void this.#message(to, message).then((sent) => {
      if (!sent.ok) this.#kernel.events.warn(`A message did not reach its agent. ${sent.problem.message}`);
    });
    return ok(undefined);
  }

  async #message(to: string, message: string): Promise<Result<string>> {
    const { messageAgent } = await import('../agents/send-message.ts');
    return messageAgent(this.#ports.agents, to, message);
  }

  /** Tasks that may run forever do not keep the session from being idle. */
  #updateState(): void {
    const { events, questions, tasks } = this.#kernel;
    const busy =
      this.pump.isBusy || tasks.someRunning((task) => !task.isResting && !mayRunForever.includes(task.kind));
    const state: SessionState =
      questions.approvals.waiting().length > 0 ? 'requires_action' : busy ? 'running' : 'idle';
    if (state === this.#state) return;
    this.#state = state;
    events.tell({ type: 'state_changed', state });
  }
}

function isRemote({ task }: TaskRecord): boolean {
  return task.kind === 'remote_agent';
}

const mayRunForever: readonly string[] = ['local_bash', 'monitor_mcp', 'dream'];

/** Whether what made requests fail for good may be fixed now: it is worth another request. */
function mayFix({ type }: Command): boolean {
  return type === 'prompt' || type === 'set_model' || type === 'message_agent';
}
