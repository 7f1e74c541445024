import { linkAbort } from '../lib/abort.ts';
import type { Result } from '../lib/result.ts';
import { boundText, visibleLine } from '../lib/text/text.ts';
import { addUsage, noUsage, totalTokens, type Usage } from '../protocol/index.ts';
import type { CallCensus, WorkflowCallView } from '../protocol/workflow.ts';
import { CallGate, describeStop } from './call-gate.ts';
import { formatCallId, makeCallKey } from './call-key.ts';
import type { CallAgent, CallResult, Resolution, RunHalt, WrittenCall } from './call-runner.ts';
import { countCall, emptyCensus } from './census.ts';
import type { RunJournal } from './journal.ts';
import type { CallNumber } from './journal-records.ts';
import { describeMaxCalls, judgeEnd, noPrompt, refuseCall, skippedEnd } from './judge-end.ts';
import { CallNumbers, KeptValues } from './kept-values.ts';
import { RecordedCalls } from './recorded-calls.ts';
import { describeDivergence, isDiverged, replayEnd } from './replay-call.ts';
import type { AgentCallEnd, AgentCallOptions, RunPort, RunQuestion, RunStep } from './run-port.ts';
import type { ProgramEnd, RunEnd, RunNeeds } from './run-types.ts';

/** Its end is open: it runs when the run is resumed. */
const halted = { outcome: 'interrupted', text: '', verdict: 'HALTED' } as const;

interface OpenCall {
  id: string;
  view: Omit<WorkflowCallView, 'runId'>;
  controller: AbortController;
  isSkipped: boolean;
}

/** A run in this process. Its journal is written before anything that it says is acted on. */
export class WorkflowRun implements RunPort {
  readonly #recorded: RecordedCalls;
  readonly #gate: CallGate;
  readonly #controller = new AbortController();
  readonly #numbers = new CallNumbers();
  readonly #kept: KeptValues;
  readonly #open = new Map<string, OpenCall>();
  readonly #census = emptyCensus();
  readonly #settled = new Set<Promise<unknown>>();
  #phase: string | undefined;
  #spent: Usage = noUsage;
  #ended = 0;
  #executed = { calls: 0, tokens: 0 };

  constructor(
    readonly id: string,
    private readonly journal: RunJournal,
    private readonly needs: RunNeeds,
  ) {
    this.#recorded = new RecordedCalls(journal.recorded);
    this.#gate = new CallGate(needs.limits, this.#recorded.allowedAgents, (agents) =>
      this.#askForMore(agents),
    );
    this.#kept = new KeptValues(journal, this.#recorded, this.#numbers, (reason) => this.stop(reason));
    journal.onLost((reason) => this.stop(reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get census(): CallCensus {
    return structuredClone(this.#census);
  }

  get counts(): { total: number; running: number; waiting: number } {
    const running = [...this.#open.values()].filter(({ view }) => view.state === 'running').length;
    return { total: this.#ended + this.#open.size, running, waiting: this.#open.size - running };
  }

  /** While its program computes, no call begins: it may make more. */
  hold(isHeld: boolean): void {
    this.#gate.hold(isHeld);
  }

  /** Resolves when nothing more will be started. */
  get halted(): Promise<void> {
    return this.#gate.closed;
  }

  /** Why nothing more is started. */
  get halt(): RunHalt | undefined {
    return this.#gate.halt;
  }

  agent(prompt: string, options: AgentCallOptions = {}): Promise<AgentCallEnd> {
    const made = this.#call(prompt, options).finally(() => this.#settled.delete(made));
    this.#settled.add(made);
    return made;
  }

  async #call(prompt: string, options: AgentCallOptions): Promise<AgentCallEnd> {
    const key = typeof prompt === 'string' && prompt.trim() !== '' ? makeCallKey(prompt, options) : noPrompt;
    if (!key.ok) return this.#refuse(options, key.problem.message);
    if (this.#ended + this.#open.size >= this.needs.limits.maxCalls)
      return this.#refuse(options, describeMaxCalls(this.needs.limits.maxCalls));
    const number = this.#numbers.next(key.value);
    const call = this.#enter({ key: key.value, number }, prompt, options);
    const written = { prompt, options };
    try {
      const end = await this.#findOrRun({ key: key.value, number }, written, call);
      return this.#conclude(call, end);
    } finally {
      this.#open.delete(call.id);
    }
  }

  #enter({ key, number }: CallNumber, prompt: string, options: AgentCallOptions): OpenCall {
    const id = formatCallId(key, number);
    const label = visibleLine(options.label ?? prompt, 80);
    const call: OpenCall = {
      id,
      view: { callId: id, label, phase: options.phase ?? this.#phase, state: 'waiting', tokens: 0 },
      controller: new AbortController(),
      isSkipped: false,
    };
    this.#open.set(id, call);
    this.#show(call);
    return call;
  }

  async #findOrRun(at: CallNumber, written: WrittenCall, call: OpenCall): Promise<AgentCallEnd> {
    const resolution = this.needs.runner.resolve(written);
    const end = this.#recorded.findEnd(at);
    if (end) {
      const differs = isDiverged(end.resolution, resolution);
      if (!differs) return replayEnd(end, 'REPLAYED');
      if (!this.needs.rerunsDiverged) return replayEnd(end, 'DIVERGED', describeDivergence(end, resolution));
    }
    const earlier = end ? undefined : this.#recorded.findAgent(at);
    return this.#execute(at, written, call, resolution, earlier);
  }

  async #execute(
    at: CallNumber,
    written: WrittenCall,
    call: OpenCall,
    resolution: Result<Resolution>,
    earlier: CallAgent | undefined,
  ): Promise<AgentCallEnd> {
    const unlink = linkAbort(this.signal, call.controller);
    const passed = await this.#gate.enter(call.controller.signal);
    try {
      if (!passed.may) return this.#endUnstarted(at, call, passed.halt);
      if (!resolution.ok) return this.#record(at, call, refuseCall(resolution.problem.message), undefined);
      call.view = { ...call.view, state: 'running' };
      this.#show(call);
      const { label, phase } = call.view;
      const result = await this.needs.runner.run(written, {
        signal: call.controller.signal,
        label,
        earlier,
        noteStarted: (agent) => {
          call.view = { ...call.view, agentId: agent.agentId };
          this.#show(call);
          const begun = { label, phase, resolution: resolution.value, ...at, ...agent };
          return this.journal.write({ type: 'begun', ...begun });
        },
        noteSuspended: (suspension) => {
          this.#gate.suspend(call, suspension !== undefined);
          this.needs.note?.({ type: 'suspended', halt: suspension });
        },
      });
      return this.#settle(at, call, result, resolution.value);
    } finally {
      this.#gate.suspend(call, false);
      if (passed.may) passed.leave();
      unlink();
    }
  }

  #endUnstarted(at: CallNumber, call: OpenCall, halt: RunHalt): AgentCallEnd | Promise<AgentCallEnd> {
    if (call.isSkipped) return this.#record(at, call, skippedEnd, undefined);
    return { ...halted, reason: halt.reason, usage: noUsage };
  }

  #settle(
    at: CallNumber,
    call: OpenCall,
    result: CallResult,
    resolution: Resolution,
  ): AgentCallEnd | Promise<AgentCallEnd> {
    const { agentId, usage } = result;
    if (call.isSkipped) return this.#record(at, call, { ...skippedEnd, agentId, usage }, resolution);
    if (result.kind === 'halted') {
      this.#gate.close(result.halt);
      this.needs.note?.({ type: 'suspended', halt: result.halt });
      return { ...halted, reason: result.halt.reason, agentId, usage };
    }
    // Without an end in the journal its agent continues from its transcript when the run is resumed.
    if (this.signal.aborted && result.outcome !== 'ok')
      return { ...result, outcome: 'interrupted', reason: describeStop(this.signal), verdict: 'HALTED' };
    return this.#record(at, call, result, resolution);
  }

  /** The end is durable before the program, or a screen, hears of it. */
  async #record(
    at: CallNumber,
    call: OpenCall,
    { kind: _, ...end }: Extract<CallResult, { kind: 'ended' }>,
    resolution: Resolution | undefined,
  ): Promise<AgentCallEnd> {
    const { label, phase } = call.view;
    this.#executed.calls++;
    this.#executed.tokens += totalTokens(end.usage);
    const written = await this.journal.write({ type: 'ended', ...at, label, phase, resolution, ...end });
    if (written.ok) return { ...end, verdict: 'EXECUTED' };
    this.stop(written.problem.message);
    return {
      ...end,
      outcome: 'interrupted',
      value: undefined,
      reason: written.problem.message,
      verdict: 'HALTED',
    };
  }

  #conclude(call: OpenCall, end: AgentCallEnd): AgentCallEnd {
    const { outcome, verdict, reason, agentId, usage } = end;
    this.#ended++;
    this.#open.delete(call.id);
    countCall(this.#census, outcome, verdict);
    this.#spent = addUsage(this.#spent, usage);
    call.view = {
      ...call.view,
      state: 'ended',
      ...{ outcome, verdict, reason, tokens: totalTokens(usage) },
      ...(agentId === undefined ? {} : { agentId }),
    };
    this.#show(call);
    return end;
  }

  /** Nothing is started or recorded, and it counts. */
  #refuse({ label = '' }: AgentCallOptions, reason: string): AgentCallEnd {
    countCall(this.#census, 'refused', 'EXECUTED');
    this.#ended++;
    if (this.#census.outcomes.refused <= 3)
      this.needs.note?.({ type: 'log', text: visibleLine(`${label} was refused: ${reason}`.trim(), 300) });
    return { outcome: 'refused', text: '', reason, usage: noUsage, verdict: 'EXECUTED' };
  }

  step<T>(step: RunStep<T>): Promise<T> {
    return this.#kept.step(step, this.signal);
  }

  async ask(question: RunQuestion): Promise<string | undefined> {
    return this.#kept.ask(question, async () =>
      this.signal.aborted || this.halt ? undefined : this.needs.ask?.(question, this.signal),
    );
  }

  phase(name: string): void {
    const line = visibleLine(name, 80);
    if (line === this.#phase || line === '') return;
    this.#phase = line;
    this.needs.note?.({ type: 'phase', name: line });
    if (!this.#recorded.phases.includes(line)) void this.journal.write({ type: 'phase', name: line });
  }

  log(text: string): void {
    this.needs.note?.({ type: 'log', text: boundText(text, 4_000) });
  }

  spent(): Usage {
    return this.#spent;
  }

  /** Ends one call as `skipped`, for the user: its program continues without it. False if it is not open. */
  skip(callId: string): boolean {
    const call = this.#open.get(callId);
    if (!call || call.isSkipped) return false;
    call.isSkipped = true;
    call.controller.abort('skipped by the user');
    return true;
  }

  /** Ends all calls. Those that have no end yet continue when the run is resumed. */
  stop(reason: string): void {
    if (!this.signal.aborted) this.#controller.abort(reason);
  }

  /** Resolves when no call is open. */
  async rest(): Promise<void> {
    while (this.#settled.size > 0) await Promise.allSettled([...this.#settled]);
  }

  /** Writes how it ended and gives the run back. */
  async close(program: ProgramEnd): Promise<RunEnd> {
    const isStopped = this.signal.aborted;
    const { refused = 0 } = program;
    countCall(this.#census, 'refused', 'EXECUTED', refused);
    this.#ended += refused;
    if (refused > 0) this.log(describeMaxCalls(this.needs.limits.maxCalls, refused));
    if (!program.ok && !this.halt) this.stop(program.reason);
    await this.rest();
    const end: RunEnd = {
      runId: this.id,
      ...judgeEnd(program, this, isStopped),
      census: this.census,
      spent: this.#spent,
    };
    const { runId: _, summary: __, ...closed } = end;
    const written = await this.journal.write({ type: 'closed', ...closed });
    this.journal.close();
    if (written.ok || end.status === 'stopped') return end;
    return { ...end, status: 'failed', value: undefined, reason: written.problem.message };
  }

  async #askForMore(agents: number): Promise<RunHalt | undefined> {
    const { calls, tokens } = this.#executed;
    const tokensPerAgent = calls === 0 ? undefined : Math.round(tokens / calls);
    const refusal = await this.needs.confirm?.({ agents, tokensPerAgent });
    if (refusal !== undefined) return { reason: refusal, byUser: true };
    await this.journal.write({ type: 'allowed', agents: this.needs.limits.maxCalls });
    return undefined;
  }

  #show({ view }: OpenCall): void {
    this.needs.note?.({ type: 'call', call: view });
  }
}
