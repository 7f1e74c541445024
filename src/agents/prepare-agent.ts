import { ok, type Result, usage } from '../lib/result.ts';
import { addUserMessage } from '../loop/add-message.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { listEventRecords } from '../loop/records-of.ts';
import type { AgentSettings } from '../settings/loaded.ts';
import { openContext } from './child-context.ts';
import type { AgentKernel, AgentStep } from './kernel.ts';
import { describeTotalReached } from './limits.ts';
import { nameAgent } from './name-agent.ts';
import type { LiveAgent } from './roster.ts';
import { type AgentRequest, type AgentSpec, draftAgent, type LoadedAgent } from './spec.ts';

export interface PrepareOptions {
  signal: AbortSignal;
  /** Its id; a new one is made if absent. */
  id?: string;
  earlier?: LoadedAgent;
  /** Replaces the session's settings. */
  settings?: AgentSettings;
  /** Called last, in one step with the start: returns why the agent must not start after all. */
  refuse?(): string | undefined;
}

/**
 * Takes a request through all steps, and starts the agent. If a step fails, the steps before it are released, and
 * nothing was started.
 */
export async function prepareAgent<Began>(
  agents: AgentKernel,
  parent: LiveAgent,
  request: AgentRequest,
  {
    signal,
    earlier,
    refuse,
    id = nameAgent(agents, parent, request),
    settings = agents.settings,
  }: PrepareOptions,
  begin: (spec: AgentSpec) => Began,
): Promise<Result<Began>> {
  const spec = draftAgent({ id, parent, request, settings, earlier, log: agents.records.open(id) });
  spec.makeContext = openContext(agents, spec);
  const done: AgentStep[] = [];
  let isBegun = false;
  try {
    for (const step of agents.steps) {
      const completed = await step.complete(spec, agents, signal);
      if (!completed.ok) return completed;
      done.push(step);
    }
    // Checked again, in one step with the start: other agents of the same message may have started meanwhile.
    const refusal = refuse?.() ?? (earlier ? undefined : describeTotalReached(agents));
    if (refusal !== undefined) return usage(refusal);
    isBegun = true;
    return ok(begin(spec));
  } finally {
    if (!isBegun) await releaseSteps(done, spec);
  }
}

/** Releases what an agent's steps took, the last first. */
export function releaseAgent({ steps }: AgentKernel, spec: AgentSpec): Promise<void> {
  return releaseSteps([...steps], spec);
}

/** A step that throws does not keep the others from being released. */
async function releaseSteps(steps: AgentStep[], spec: AgentSpec): Promise<void> {
  const thrown: unknown[] = [];
  for (const step of steps.toReversed())
    try {
      if (step.release) await step.release(spec);
    } catch (error) {
      thrown.push(error);
    }
  if (thrown.length > 0) throw thrown[0];
}

/** The agent's run is over, wherever it was: only its transcript is left. */
export async function endAgent(agents: AgentKernel, spec: AgentSpec, context: AgentContext): Promise<void> {
  const { roster, tasks, leases, scopes } = agents;
  const { id, log } = spec;
  const live = roster.find(id);
  if (live) roster.enter(id, { ...live, isEnding: true });
  // No agent could stop it after this.
  await tasks.killAll('the agent that started it has ended', (one) => one.owner === id);
  leases.leave(id);
  try {
    await releaseAgent(agents, spec);
  } finally {
    keepUnread(spec, context);
    roster.leave(id);
    scopes.end(id);
    log.close();
  }
}

/**
 * Records letters that an agent did not read: mail, ends of its own background work, also the prompt of one that was
 * stopped before its turn came. A resumed agent continues with them.
 */
export function keepUnread({ log }: AgentSpec, context: AgentContext): void {
  for (const { content, origin, uuid, isPassing } of context.inbox.takeForRun())
    for (const event of isPassing ? [] : addUserMessage(context, content, origin, uuid ? { uuid } : {}))
      for (const record of listEventRecords(event)) log.append(record);
}
