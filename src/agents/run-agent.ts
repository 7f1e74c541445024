import { linkAbort } from '../lib/abort.ts';
import type { Result } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { query } from '../loop/query.ts';
import { recordsOf } from '../loop/records-of.ts';
import {
  type AgentEvent,
  addUsage,
  noUsage,
  type Outcome,
  type RunningTask,
  textOf,
} from '../protocol/index.ts';
import { type Child, contextOf } from './child.ts';
import { watchLimits } from './limits.ts';
import { ProgressCounter } from './progress.ts';
import { openReport } from './report-file.ts';
import type { AgentServices } from './services.ts';

/** How a run of an agent went. */
export interface AgentRun {
  outcome: Outcome;
  toolUses: number;
  totalTokens: number;
  durationMs: number;
}

/**
 * Runs an agent to its end: pumps `query()` at full speed, keeps every message in the agent's transcript before the
 * loop acts on it, and publishes its events. Always ends in an outcome, and always leaves nothing behind (CX2).
 */
export async function runAgent(services: AgentServices, child: Child, task: RunningTask): Promise<AgentRun> {
  const { clock, roster } = services;
  const controller = new AbortController();
  const unlink = linkAbort(task.signal, controller);
  const limits = watchLimits(child.runLimits, clock, controller);
  const report = openReport(task.outputFile);
  const counter = new ProgressCounter();
  const start = clock.monotonic();
  const context = contextOf(child, controller.signal);
  roster.enter(child.id, {
    context,
    account: child.account,
    ...(child.spawnable ? { spawnable: child.spawnable } : {}),
    alive: limits.alive,
  });
  const note = (event: AgentEvent) => {
    limits.note(event);
    roster.find(child.owner)?.alive?.();
    if (counter.note(event)) task.progress(counter.value);
    if (event.type === 'message_added' && event.record.type === 'assistant')
      report.add(textOf(event.record.message.content));
  };
  try {
    const outcome = await drive(services, child, context, note);
    const hit = limits.hit();
    return {
      outcome: hit && outcome.kind === 'interrupted' ? { ...outcome, ...hit } : outcome,
      toolUses: counter.value.toolUses,
      totalTokens: counter.totalTokens,
      durationMs: clock.monotonic() - start,
    };
  } finally {
    limits.release();
    unlink();
    report.close();
    // Nobody would hear of it any more, and nobody could stop it.
    await services.tasks.killAll('the agent that started it has ended', (one) => one.owner === child.id);
    await child.release?.();
    roster.leave(child.id);
    child.log.close();
  }
}

/** One run may take several passes of the loop: the end of a background agent of its own wakes it again. */
async function drive(
  services: AgentServices,
  child: Child,
  context: AgentContext,
  note: (event: AgentEvent) => void,
): Promise<Outcome> {
  const event = (body: Parameters<typeof publishOf>[2]) => services.publish(publishOf(context, child, body));
  event({
    type: 'run_started',
    model: context.model.id,
    permissionMode: context.permissions.mode,
    cwd: context.hands.directory.current,
    tools: context.tools.map((tool) => tool.name),
  });
  const start = services.clock.monotonic();
  let total: Outcome = { kind: 'failed', text: '', reason: 'It was not begun.', turns: 0, usage: noUsage };
  for (;;) {
    const outcome = await pump(services, child, context, note);
    total = {
      ...outcome,
      text: outcome.text || total.text,
      turns: total.turns + outcome.turns,
      usage: addUsage(total.usage, outcome.usage),
    };
    if (outcome.kind !== 'completed' || !(await hearsMore(services, context))) break;
  }
  event({
    type: 'run_ended',
    outcome: total,
    prompts: [],
    durationMs: services.clock.monotonic() - start,
    modelMs: 0,
  });
  return total;
}

function publishOf(
  context: AgentContext,
  child: Child,
  body: import('../protocol/index.ts').AgentEventBody,
): AgentEvent {
  return { agentId: context.agentId, parentToolUseId: child.parentToolUseId, ...body };
}

async function pump(
  services: AgentServices,
  child: Child,
  context: AgentContext,
  note: (event: AgentEvent) => void,
): Promise<Outcome> {
  const loop = query(context);
  for (;;) {
    const step = await loop.next();
    if (step.done) return step.value;
    note(step.value);
    const kept = keep(child, step.value);
    if (!kept.ok) {
      const outcome: Outcome = {
        kind: 'failed',
        text: '',
        reason: kept.problem.message,
        turns: 0,
        usage: noUsage,
      };
      await loop.return(outcome);
      return outcome;
    }
    if (step.value.type !== 'model_streamed' || services.streamsChildren) services.publish(step.value);
  }
}

function keep(child: Child, event: AgentEvent): Result<void> {
  for (const record of recordsOf(event)) {
    const written = child.log.append(record);
    if (!written.ok) return written;
  }
  return { ok: true, value: undefined };
}

/** True when something has come for the agent, or comes from agents of its own that are still at work. */
async function hearsMore(
  { tasks }: AgentServices,
  { agentId, inbox, signal }: AgentContext,
): Promise<boolean> {
  if (!inbox.isEmpty()) return true;
  const waitsFor = () =>
    tasks
      .running()
      .some((task) => task.owner === agentId && task.kind !== 'local_bash' && task.isBackgrounded);
  while (inbox.isEmpty() && waitsFor() && !signal.aborted)
    await new Promise<void>((resolve) => {
      const done = () => {
        forget();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const forget = inbox.onPost(done);
      signal.addEventListener('abort', done, { once: true });
    });
  return !inbox.isEmpty();
}
