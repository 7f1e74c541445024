import { ok, type Result, usage } from '../lib/result.ts';
import { addUserMessage } from '../loop/add-message.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { listEventRecords } from '../loop/records-of.ts';
import { openContext } from './child-context.ts';
import type { AgentKernel, AgentStep } from './kernel.ts';
import { describeTotalReached } from './limits.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentSettings } from './settings.ts';
import { type AgentRequest, type AgentSpec, draftAgent, type LoadedAgent } from './spec.ts';

export interface PrepareOptions {
  signal: AbortSignal;
  /** Its id; a new one without it. */
  id?: string;
  earlier?: LoadedAgent;
  /** In place of the session's. */
  settings?: AgentSettings;
  /** Asked last, in one step with the start: why it must not begin any more. */
  refuse?(): string | undefined;
}

/**
 * Takes a request through all steps, and begins the agent. Where a step fails, those before it give back what they took,
 * and nothing was begun.
 */
export async function prepareAgent<Began>(
  agents: AgentKernel,
  parent: LiveAgent,
  request: AgentRequest,
  { signal, earlier, refuse, id = `a${agents.ids.token(12)}`, settings = agents.settings }: PrepareOptions,
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
    // Asked again, and in one step with the start: others of the same message may have begun meanwhile.
    const refusal = refuse?.() ?? (earlier ? undefined : describeTotalReached(agents));
    if (refusal !== undefined) return usage(refusal);
    isBegun = true;
    return ok(begin(spec));
  } finally {
    if (!isBegun) await releaseSteps(done, spec);
  }
}

/** Gives back what an agent's steps took, the last first. */
export function releaseAgent({ steps }: AgentKernel, spec: AgentSpec): Promise<void> {
  return releaseSteps([...steps], spec);
}

/** One that throws keeps none of the others from giving back what they took. */
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

/** The agent's run is over, wherever it was: nothing of it is left but its transcript. */
export async function endAgent(agents: AgentKernel, spec: AgentSpec, context: AgentContext): Promise<void> {
  const { roster, tasks, leases, scopes } = agents;
  const { id, log } = spec;
  const live = roster.find(id);
  if (live) roster.enter(id, { ...live, isEnding: true });
  // Nobody could stop it any more.
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
 * Records what came for an agent and was not read any more: mail, ends of its own background work, also the prompt of
 * one that was stopped before its turn came. Whoever goes on with the agent goes on with that.
 */
export function keepUnread({ log }: AgentSpec, context: AgentContext): void {
  for (const { content, origin, uuid } of context.inbox.takeForRun())
    for (const event of addUserMessage(context, content, origin, uuid ? { uuid } : {}))
      for (const record of listEventRecords(event)) log.append(record);
}
