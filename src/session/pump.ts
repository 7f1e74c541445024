import { ok, type Result } from '../lib/result.ts';
import { remind } from '../lib/text/harness-tags.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { compactNow } from '../loop/compact/now.ts';
import { loadTools } from '../loop/query.ts';
import { queryUntilStopped } from '../loop/until-stopped.ts';
import { isTerminal } from '../models/attempts.ts';
import type { AgentEvent, AgentEventBody, Outcome } from '../protocol/index.ts';
import type { Kernel } from './kernel.ts';
import {
  describeInterrupt,
  failedOutcome,
  findAnsweredPrompt,
  interruptedByUser,
  modelTimer,
  runStart,
  toolAhead,
} from './run-facts.ts';
import type { SessionPorts } from './session-ports.ts';

/** The end of a run waits at most this long for the look at changes made by its commands. */
const settleMs = 2_000;
/** The request is out by then: running tools is loaded while the model thinks. */
const loadToolsMs = 50;

/**
 * Drives the lead's runs, one after another, for as long as something waits for it. Each message is in the transcript
 * before the loop acts on it, and goes out as a copy. Commands go to the session, not here.
 */
export class Pump {
  readonly #kernel: Kernel;
  readonly #ports: SessionPorts;
  readonly #changed: () => void;
  #controller: AbortController | undefined;
  #work: Promise<void> | undefined;
  #closed = false;
  #isStopping = false;
  /** A compaction that was requested and has not begun, and how many prompts were queued before it. */
  #compaction: { instructions: string | undefined; behind: number } | undefined;
  #interruptedEarly: string | undefined;
  /** The last run ended at a limit that resets later, or with an error that only the user can fix. */
  #isHeldBack = false;
  /** The transcript could not store everything in the conversation: the two are made equal before the next message. */
  #isApart = false;

  /** `changed` is called when work begins or ends. */
  constructor(kernel: Kernel, ports: SessionPorts, changed: () => void) {
    this.#kernel = kernel;
    this.#ports = ports;
    this.#changed = changed;
  }

  get isBusy(): boolean {
    return this.#work !== undefined;
  }

  /** A run of the lead is in progress. */
  get isRunning(): boolean {
    return this.#controller !== undefined;
  }

  wake(): void {
    if (this.#closed || this.#isStopping || this.#work) return;
    this.#hold(this.#runAll());
  }

  compact(instructions: string | undefined): void {
    this.#compaction = { instructions, behind: this.#kernel.inbox.promptCount() };
    this.wake();
  }

  get waitsToCompact(): boolean {
    return this.#compaction !== undefined;
  }

  /** False if none is queued. */
  withdrawCompaction(): boolean {
    const waits = this.waitsToCompact;
    this.#compaction = undefined;
    return waits;
  }

  /** An interrupt that comes while a run is about to begin is for that run. */
  interrupt(reason: string): void {
    if (this.#controller) this.#controller.abort(reason);
    else if (this.#work) this.#interruptedEarly = reason;
  }

  /** Ends the current run. What waits does not begin in its place: a user who stops has something else to do first. */
  async stop(reason: string): Promise<void> {
    this.#isStopping = true;
    this.interrupt(reason);
    await this.settled();
    this.#isStopping = false;
  }

  /** Nothing else begins until this is done; an interrupt meanwhile was not meant for the next run. */
  pauseFor(work: Promise<unknown>): void {
    this.#hold(
      work.then(() => {
        this.#interruptedEarly = undefined;
      }),
    );
    this.#changed();
  }

  /** Resolves when no run is in progress and the inbox is empty. */
  async settled(): Promise<void> {
    while (this.#work) await this.#work;
  }

  /** No new run begins. The current run continues until it is interrupted. */
  close(): void {
    this.#closed = true;
  }

  #hold(work: Promise<void>): void {
    const free = () => {
      this.#work = undefined;
    };
    this.#work = work.then(
      () => {
        free();
        if (this.#hasWork()) this.wake();
        else this.#changed();
      },
      (error) => {
        // A bug, which would happen again and again: what waits would never let it be reported.
        free();
        throw error;
      },
    );
  }

  async #runAll(): Promise<void> {
    // Leaves the sender's tick first, so that a caller that sends and then subscribes misses nothing.
    await Promise.resolve();
    while (!this.#closed && !this.#isStopping && this.#hasWork()) await this.#runOnce();
  }

  /** After a failure that another request would meet again, only the user starts one: an end of a task waits. */
  #hasWork(): boolean {
    const { inbox } = this.#kernel;
    const isWaited = this.#isHeldBack && inbox.promptCount() === 0;
    return this.#compaction !== undefined || (!isWaited && !inbox.isEmpty());
  }

  async #runOnce(): Promise<void> {
    const { lead, leases, mcp, hands, features } = this.#ports;
    const { clock } = this.#kernel.place;
    if (mcp.isWanted) await mcp.prepare();
    this.#controller = new AbortController();
    if (this.#interruptedEarly !== undefined) this.#controller.abort(this.#interruptedEarly);
    this.#interruptedEarly = undefined;
    const agent = lead.enter(this.#controller.signal);
    const start = clock.monotonic();
    await hands.observeFiles();
    if (lead.conversation.records.length === 0) await this.#brief();
    this.#changed();
    const servers = mcp.status().map(({ name, status }) => ({ name, status }));
    lead.noteServers(servers.flatMap(({ name, status }) => (status === 'connected' ? [name] : [])));
    this.#publish({
      type: 'run_started',
      ...runStart(agent),
      ...this.#knowledge(),
      ...(servers.length > 0 ? { mcpServers: servers } : {}),
    });
    for (const text of features.takeNotices()) this.#kernel.events.warn(text);
    const timer = modelTimer(clock);
    const prompts: string[] = [];
    leases.beginRun();
    const note = (event: AgentEvent) => {
      timer.note(event);
      const uuid = findAnsweredPrompt(event);
      if (uuid !== undefined) prompts.push(uuid);
    };
    const outcome = await this.#drive(agent, note, prompts);
    // A listener may change files as soon as it hears of the end, and that is not the commands' work. For a longer
    // look, the times of changes tell them apart too.
    await hands.hands.history.settleCommands?.(settleMs);
    this.#controller = undefined;
    this.#isHeldBack = isStandstill(outcome);
    const isCutOff = this.#closed || outcome.failure?.resetsAt !== undefined;
    if (!isCutOff) lead.suspend(undefined);
    if (outcome.kind === 'interrupted' && !isCutOff) this.#noteInterrupt(outcome.reason);
    leases.endRun();
    lead.endSkill();
    if (this.#compaction) this.#compaction.behind -= prompts.length;
    this.#publish({
      type: 'run_ended',
      outcome,
      prompts,
      cost: lead.cost(),
      durationMs: clock.monotonic() - start,
      modelMs: timer.total(),
    });
  }

  /**
   * In the conversation at once: whatever wakes the lead next, also in a later process, it knows that its last prompt is
   * not to be continued. A disk that is full is reported where the next message cannot be written.
   */
  #noteInterrupt(reason = interruptedByUser): void {
    const text = remind(describeInterrupt(reason));
    this.#ports.lead.hear([{ type: 'text', text }], { kind: 'harness' });
  }

  /** What every conversation begins with, ahead of the letters that wait. */
  async #brief(): Promise<void> {
    const { inbox } = this.#kernel;
    const texts = await this.#ports.features.briefings();
    inbox.putBack(
      texts.map((text) => ({
        delivery: 'queue',
        content: [{ type: 'text', text }],
        origin: { kind: 'harness' },
        isQuiet: true,
      })),
    );
  }

  /** Empty for most sessions, which then mention no servers. */
  #knowledge(): { slashCommands?: string[]; skills?: string[] } {
    const { prompts } = this.#ports;
    const slashCommands = prompts.commands().map(({ name }) => name);
    const skills = [...prompts.skillNames];
    return {
      ...(slashCommands.length > 0 ? { slashCommands } : {}),
      ...(skills.length > 0 ? { skills } : {}),
    };
  }

  /** In the order of sending: after the prompts that were queued before it. */
  #takeCompaction(): { instructions: string | undefined } | undefined {
    const waiting = this.#compaction;
    if (!waiting || (waiting.behind > 0 && !this.#kernel.inbox.isEmpty())) return undefined;
    this.#compaction = undefined;
    return waiting;
  }

  async #drive(agent: AgentContext, note: (event: AgentEvent) => void, prompts: string[]): Promise<Outcome> {
    const compaction = this.#takeCompaction();
    // Synchronous if there is nothing to fix, or a letter that comes meanwhile would join this run.
    const rejoined = this.#isApart ? await this.#rejoin() : ok(undefined);
    const noted = rejoined.ok ? this.#ports.lead.noteState() : rejoined;
    if (!noted.ok) {
      prompts.push(...agent.inbox.giveUpPrompts());
      return failedOutcome(noted.problem);
    }
    // Not on a tape: it is no part of the run.
    const cancelLoading = this.#kernel.place.outside.clock.after(loadToolsMs, () => void loadTools());
    const loop = compaction ? compactNow(agent, compaction.instructions) : queryUntilStopped(agent);
    for (;;) {
      const step = await loop.next();
      if (step.done) {
        cancelLoading();
        return step.value;
      }
      note(step.value);
      this.#noteWait(step.value);
      const ahead = toolAhead(step.value);
      if (ahead !== undefined) void loadTools();
      if (ahead === 'Bash' && this.#kernel.claim.check().ok) this.#ports.hands.warm();
      const kept = this.#kernel.log.keep(step.value);
      if (kept.ok) {
        this.#kernel.events.publish(step.value);
        // The model hears of an end that no power cut undoes.
        if (step.value.type === 'message_added') await this.#kernel.log.synced();
      } else {
        this.#isApart = true;
        this.#controller?.abort();
        const outcome = failedOutcome(kept.problem);
        await loop.return(outcome);
        return outcome;
      }
    }
  }

  /** In the transcript while it lasts, so that the run continues in a later process. */
  #noteWait(event: AgentEvent): void {
    // An answer came, so a wait of an earlier process is over.
    if (event.type === 'message_added' && event.record.type === 'assistant')
      this.#ports.lead.suspend(undefined);
    if (event.type !== 'request_waited') return;
    if (event.suspended) this.#ports.lead.suspend(event.suspended);
    else if (event.isOver) this.#ports.lead.suspend(undefined);
  }

  /** As resuming does: a call whose result was not recorded gets one, or the model could not be asked again. */
  async #rejoin(): Promise<Result<void>> {
    const { path } = this.#kernel.log;
    if (path === null) return ok(undefined);
    const { goOnFrom } = await import('./rewind-session.ts');
    const rejoined = await goOnFrom(this.#kernel, this.#ports, path);
    if (rejoined.ok) this.#isApart = false;
    return rejoined;
  }

  #publish(body: AgentEventBody): void {
    this.#kernel.events.tell(body);
  }
}

function isStandstill({ failure }: Outcome): boolean {
  return failure !== undefined && (failure.resetsAt !== undefined || isTerminal(failure));
}
