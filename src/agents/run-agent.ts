import { linkAbort } from '../lib/abort.ts';
import type { Clock } from '../lib/clock.ts';
import { formatError, ok, type Result } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { endAfterInterrupt } from '../loop/end-of-failure.ts';
import { query } from '../loop/query.ts';
import { listEventRecords } from '../loop/records-of.ts';
import {
  type AgentEvent,
  type AgentEventBody,
  type AgentReport,
  addUsage,
  noUsage,
  type Outcome,
  type RunningTask,
  type TaskView,
  textOf,
} from '../protocol/index.ts';
import { findReport } from '../protocol/report-frame.ts';
import { flagSuspicions } from './handoff-check.ts';
import type { AgentKernel, AgentRun, Placement } from './kernel.ts';
import { watchLimits } from './limits.ts';
import { ProgressCounter, ToolStats } from './progress.ts';
import { openReport } from './report-file.ts';
import type { LiveAgent } from './roster.ts';
import { type AgentSpec, formatType } from './spec.ts';
import type { Waking } from './standby.ts';
import { AgentHooks } from './steps/hooks.ts';
import { narrowSpawnable } from './steps/type.ts';

/** In this process. */
export const here: Placement = { name: 'here', run: runAgent };

/** The time an aborted run has to end; a tool that ignores its signal is abandoned after that. */
const graceMs = 5_000;

/**
 * Runs an agent to its end: pumps `query()` at full speed, writes every message to the agent's transcript before the
 * loop acts on it, and publishes its events. Always ends in an outcome, and leaves no timer and no open file behind;
 * `endAgent` releases what the agent holds.
 */
export async function runAgent(agents: AgentKernel, spec: AgentSpec, task: RunningTask): Promise<AgentRun> {
  const { clock, roster } = agents;
  const { id, engine } = spec;
  const controller = new AbortController();
  const unlink = linkAbort(task.signal, controller);
  const isWaitedFor = (one: Readonly<TaskView>) => one.owner === id && one.kind !== 'local_bash';
  const waits = () =>
    run.isWaiting ||
    agents.questions.isAsking(id) ||
    agents.slots.isLent(id) ||
    agents.tasks.someRunning((one) => isWaitedFor(one) && !one.isBackgrounded);
  const limits = watchLimits(spec.settings, clock, controller, waits);
  const report = openReport(task.outputFile);
  const counter = new ProgressCounter(engine.account);
  const tools = new ToolStats();
  const start = clock.monotonic();
  const context = spec.makeContext(controller.signal);
  let tokensBelow = 0;
  const live: LiveAgent = {
    context,
    addTokens: (tokens) => {
      tokensBelow += tokens;
    },
    account: engine.account,
    log: spec.log,
    omitsMemory: spec.definition?.omitProjectMemory,
    isTeammate: spec.request.standby !== undefined,
    spawnable: narrowSpawnable(spec.parent.spawnable, spec.definition?.spawnable),
  };
  roster.enter(id, live);
  const run: Run = {
    said: '',
    isOver: false,
    isWaiting: false,
    wait: async (until) => {
      run.isWaiting = true;
      await agents.slots.lend(id, until, controller.signal);
      run.isWaiting = false;
      limits.alive();
    },
    rest: async (until) => {
      const holder = { agentId: id, type: formatType(spec), description: spec.request.description };
      run.isWaiting = true;
      limits.rest(true);
      agents.leases.leave(id);
      const waking = await agents.slots.lend(
        id,
        until(() => task.rest(true)),
        controller.signal,
      );
      task.rest(false);
      agents.leases.enter(holder);
      for (const teller of waking.next === 'wake' ? waking.tellers : []) agents.leases.told(id, teller);
      limits.rest(false);
      run.isWaiting = false;
      limits.alive();
      return waking;
    },
    note(event) {
      spec.request.standby?.note(event);
      limits.note(event);
      tools.note(event);
      if (event.type === 'request_waited') noteWait(task, event);
      if (counter.note(event)) task.progress(counter.value);
      if (event.type === 'message_added') run.report = findReport(event.toolData) ?? run.report;
      if (event.type !== 'message_added' || event.record.type !== 'assistant') return;
      task.suspend(undefined);
      const text = textOf(event.record.message.content);
      run.said = text || run.said;
      report.add(flagSuspicions(agents.settings, text));
    },
  };
  const hooks = context.hooks && new AgentHooks(context);
  try {
    await hooks?.start();
    const driven = drive(agents, spec, context, run, hooks);
    const outcome = await endedOrLeft(driven, run, controller.signal, clock);
    // By now the book includes requests that made no message, such as for a summary.
    task.progress(counter.value);
    const hit = limits.hit();
    return {
      outcome: hit && outcome.kind === 'interrupted' ? { ...outcome, ...hit } : outcome,
      toolUses: counter.value.toolUses,
      totalTokens: counter.value.runTokens + tokensBelow,
      durationMs: clock.monotonic() - start,
      tools: tools.value,
      report: run.report && (await agents.records.judgeAgain(id, run.report)),
    };
  } finally {
    run.isOver = true;
    await hooks?.end();
    limits.release();
    unlink();
    report.close();
  }
}

/** Other waits are short, and part of the work. */
function noteWait(task: RunningTask, event: Extract<AgentEvent, { type: 'request_waited' }>): void {
  if (event.suspended) task.suspend(event.suspended);
  else if (event.isOver) task.suspend(undefined);
}

interface Run {
  /** Its last report with claims. */
  report?: AgentReport | undefined;
  /** Its last message. */
  said: string;
  /** It was given up: whatever it still produces is ignored. */
  isOver: boolean;
  /** It has nothing to do until one of its background agents reports. */
  isWaiting: boolean;
  wait(until: Promise<void>): Promise<void>;
  /** It is idle: it holds neither a slot nor a file, and is no reason to wait. */
  rest(until: (noteIdle: () => void) => Promise<Waking>): Promise<Waking>;
  note(event: AgentEvent): void;
}

/** The outcome; also if the run throws, or does not end although it was stopped. */
function endedOrLeft(
  driven: Promise<Outcome>,
  run: Run,
  signal: AbortSignal,
  clock: Clock,
): Promise<Outcome> {
  const endHere = (end: Pick<Outcome, 'kind' | 'reason'>): Outcome => ({
    text: run.said,
    turns: 0,
    usage: noUsage,
    ...end,
  });
  return new Promise((resolve) => {
    let cancel = () => {};
    const give = (outcome: Outcome) => {
      signal.removeEventListener('abort', waitALittle);
      cancel();
      resolve(outcome);
    };
    const waitALittle = () => {
      cancel = clock.after(graceMs, () => give(endHere(endAfterInterrupt(signal))));
    };
    signal.addEventListener('abort', waitALittle, { once: true });
    if (signal.aborted) waitALittle();
    driven.then(give, (error) => give(endHere({ kind: 'failed', reason: formatError(error) })));
  });
}

/** One run may take several passes of the loop: the end of its own background agent or command wakes it again. */
async function drive(
  agents: AgentKernel,
  spec: AgentSpec,
  context: AgentContext,
  run: Run,
  hooks: AgentHooks | undefined,
): Promise<Outcome> {
  const event = (body: Parameters<typeof markEvent>[2]) => agents.publish(markEvent(context, spec, body));
  event({
    type: 'run_started',
    model: context.model.id,
    permissionMode: context.permissions.mode,
    cwd: context.hands.directory.current,
    tools: context.tools.map((tool) => tool.name),
  });
  const start = agents.clock.monotonic();
  let total: Outcome = { kind: 'failed', text: '', reason: 'It was not started.', turns: 0, usage: noUsage };
  const { standby } = spec.request;
  for (;;) {
    const outcome = standby && context.inbox.isEmpty() ? undefined : await pump(agents, spec, context, run);
    if (run.isOver) return outcome ?? total;
    if (outcome)
      total = {
        ...outcome,
        text: outcome.text || total.text,
        turns: total.turns + outcome.turns,
        usage: addUsage(total.usage, outcome.usage),
      };
    if (standby && !context.signal.aborted) {
      if (!context.inbox.isEmpty() || (outcome?.kind === 'completed' && (await hooks?.goesOn(total))))
        continue;
      if (outcome) await standby.report(outcome);
      if (!context.inbox.isEmpty()) continue;
      const { next } = await run.rest((noteIdle) =>
        standby.rest({ outcome, signal: context.signal, noteIdle }),
      );
      if (next === 'wake') continue;
      if (!outcome && total.turns === 0) total = { ...total, kind: 'completed', reason: undefined };
      break;
    }
    if (outcome?.kind !== 'completed') break;
    const patience = openPatience(agents, spec);
    if (mayHearMore(agents, context, patience)) await run.wait(waitForMore(agents, context, patience));
    patience.release();
    if (context.inbox.isEmpty() && !(await hooks?.goesOn(total))) break;
  }
  stopReading(agents, spec);
  event({
    type: 'run_ended',
    outcome: total,
    prompts: [],
    durationMs: agents.clock.monotonic() - start,
    modelMs: 0,
  });
  return total;
}

function markEvent(context: AgentContext, { request }: AgentSpec, body: AgentEventBody): AgentEvent {
  return { agentId: context.agentId, parentToolUseId: request.toolUseId, ...body };
}

async function pump(agents: AgentKernel, spec: AgentSpec, context: AgentContext, run: Run): Promise<Outcome> {
  const loop = query(context);
  for (;;) {
    const step = await loop.next();
    if (step.done) return step.value;
    if (run.isOver)
      return loop.return(failed('The agent was abandoned.')).then(() => failed('The agent was abandoned.'));
    const kept = keep(spec, step.value);
    if (!kept.ok) {
      const outcome = failed(kept.problem.message);
      return loop.return(outcome).then(() => outcome);
    }
    run.note(step.value);
    agents.publish(step.value);
    if (step.value.type === 'message_added') await spec.log.synced();
  }
}

function failed(reason: string): Outcome {
  return { kind: 'failed', text: '', reason, turns: 0, usage: noUsage };
}

function keep({ log }: AgentSpec, event: AgentEvent): Result<void> {
  if (event.type === 'tool_started') {
    const held = log.check();
    if (!held.ok) return held;
  }
  for (const record of listEventRecords(event)) {
    const written = log.append(record);
    if (!written.ok) return written;
  }
  return ok(undefined);
}

/** From the moment when nothing is waiting: a letter that came later would never be read. */
function stopReading({ roster }: AgentKernel, { id }: AgentSpec): void {
  const live = roster.find(id);
  if (live) roster.enter(id, { ...live, isEnding: true });
}

/**
 * How long an agent that has said its last word waits for its own commands. Agents have limits themselves; a command may
 * run forever, as a server does.
 */
interface Patience {
  readonly signal: AbortSignal;
  release(): void;
}

function openPatience({ clock }: AgentKernel, { settings }: AgentSpec): Patience {
  const over = new AbortController();
  const release =
    settings.idleSeconds > 0 ? clock.after(settings.idleSeconds * 1000, () => over.abort()) : () => {};
  return { signal: over.signal, release };
}

/** Until a letter has come for the agent, or its own tasks can no longer send one. */
async function waitForMore(agents: AgentKernel, context: AgentContext, patience: Patience): Promise<void> {
  const { inbox, signal } = context;
  while (mayHearMore(agents, context, patience))
    await new Promise<void>((resolve) => {
      const done = () => {
        forget();
        for (const one of [signal, patience.signal]) one.removeEventListener('abort', done);
        resolve();
      };
      const forget = inbox.onPost(done);
      for (const one of [signal, patience.signal]) one.addEventListener('abort', done, { once: true });
    });
}

function mayHearMore(
  { tasks }: AgentKernel,
  { agentId, inbox, signal }: AgentContext,
  patience: Patience,
): boolean {
  if (!inbox.isEmpty() || signal.aborted) return false;
  const counts = (task: Readonly<TaskView>) => task.kind !== 'local_bash' || !patience.signal.aborted;
  return tasks.someRunning((task) => task.owner === agentId && task.isBackgrounded && counts(task));
}
