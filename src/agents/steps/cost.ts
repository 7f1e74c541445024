import { ok, usage } from '../../lib/result.ts';
import { isSubAgent, type ToolContext, toolUses } from '../../protocol/index.ts';
import type { AgentSettings } from '../../settings/loaded.ts';
import type { AgentKernel, AgentStep } from '../kernel.ts';
import { questionAbout } from '../question.ts';
import type { LiveAgent } from '../roster.ts';

/** Asks the user before a call starts many or expensive agents at once. */
export function costStep(countCost: () => CostSoFar): AgentStep {
  const fanOuts = new FanOuts(countCost);
  return {
    name: 'cost',
    async complete({ parent, request: { call, description }, earlier }, agents) {
      if (!call || earlier) return ok(undefined);
      const refusal = await fanOuts.ask(agents, parent, call, description);
      return refusal === undefined ? ok(undefined) : usage(refusal);
    },
  };
}

/** The cost of this session's agents so far. */
export interface CostSoFar {
  agents: number;
  usd: number;
}

/** The answers about starting the agents of each message. */
export class FanOuts {
  readonly #byMessage = new Map<string, Promise<string | undefined>>();

  constructor(private readonly countCost: () => CostSoFar) {}

  /**
   * Asks before a fan-out that exceeds the user's threshold. One question for all agents of one message: later ones
   * wait for the same answer. Returns why nothing may be started, if so.
   */
  async ask(
    agents: AgentKernel,
    parent: LiveAgent,
    context: ToolContext,
    description: string,
  ): Promise<string | undefined> {
    if (parent.context.permissions.mode === 'bypassPermissions') return undefined;
    const siblings = findFanOut(parent, context.toolUseId);
    const size = siblings.size;
    // Agents of the same message that already started are included in its size.
    const running = agents.tasks.countRunning(
      (task) => isSubAgent(task) && !siblings.has(task.toolUseId ?? ''),
    );
    const reason = reasonToAsk(agents.settings, this.countCost, size, running);
    if (reason === undefined) return undefined;
    const message = findMessage(parent, context.toolUseId);
    const answer = this.#byMessage.get(message) ?? ask(agents, context, description, reason);
    this.#byMessage.set(message, answer);
    return answer;
  }
}

function reasonToAsk(
  { askAboveAgents, askAboveUsd }: AgentSettings,
  countCost: () => CostSoFar,
  size: number,
  running: number,
): string | undefined {
  const many = askAboveAgents !== undefined && size + running > askAboveAgents;
  if (!many && askAboveUsd === undefined) return undefined;
  const forecast = forecastCost(countCost(), size);
  const dear = askAboveUsd !== undefined && forecast !== undefined && forecast > askAboveUsd;
  if (!many && !dear) return undefined;
  const besides = running > 0 ? ` in addition to ${running} already running` : '';
  const price =
    forecast === undefined
      ? 'their cost cannot be estimated yet'
      : `estimated from earlier agents, they will cost about $${forecast.toFixed(forecast < 1 ? 4 : 2)}`;
  return `it would start ${size} ${size === 1 ? 'agent' : 'agents'}${besides}; ${price}`;
}

function forecastCost({ agents, usd }: CostSoFar, size: number): number | undefined {
  return agents === 0 ? undefined : (usd / agents) * size;
}

async function ask(
  agents: AgentKernel,
  context: ToolContext,
  description: string,
  reason: string,
): Promise<string | undefined> {
  const summary = 'Start these agents?';
  const question = questionAbout(agents, context, {
    toolName: 'Agent',
    by: 'default',
    input: { description },
    reason,
    summary,
    allows: 'all agents of this request',
  });
  const answer = await agents.questions.propose(question, context.signal);
  if (answer.behaviour === 'allow') return undefined;
  agents.notice(
    `Agents were not started: ${reason}. The settings agents.askAboveAgents and agents.askAboveUsd control when you are asked.`,
  );
  return `Not started: ${answer.message} Start fewer at once, or one after another. (The limit is agents.askAboveAgents.)`;
}

function findCaller({ context }: LiveAgent, toolUseId: string) {
  return context.conversation.records.findLast(
    (record) => record.type === 'assistant' && toolUses(record.message).some((call) => call.id === toolUseId),
  );
}

/** The calls of one message that start agents. */
function findFanOut(parent: LiveAgent, toolUseId: string): ReadonlySet<string> {
  const caller = findCaller(parent, toolUseId);
  if (caller?.type !== 'assistant') return new Set([toolUseId]);
  const starts = toolUses(caller.message).filter((call) => call.name === 'Agent' || call.name === 'Task');
  return new Set(starts.map((call) => call.id));
}

function findMessage(parent: LiveAgent, toolUseId: string): string {
  return findCaller(parent, toolUseId)?.uuid ?? toolUseId;
}
