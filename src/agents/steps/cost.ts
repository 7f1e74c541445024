import { ok, usage } from '../../lib/result.ts';
import { type ToolContext, toolUses } from '../../protocol/index.ts';
import type { AgentKernel, AgentStep } from '../kernel.ts';
import { questionAbout } from '../question.ts';
import type { LiveAgent } from '../roster.ts';
import type { AgentSettings } from '../settings.ts';

/** Whether the user wants to pay for it, where a call would start many or dear ones at once. */
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

/** What agents of this session have cost so far. */
export interface CostSoFar {
  agents: number;
  usd: number;
}

/** What was said about starting the agents of each message. */
export class FanOuts {
  readonly #byMessage = new Map<string, Promise<string | undefined>>();

  constructor(private readonly countCost: () => CostSoFar) {}

  /**
   * Asks before a fan-out that is larger than the user wants to see without being asked. One question for all agents of
   * one message: whoever comes second waits for the same answer. Returns why nothing may be started, if so.
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
    // Those of the same message that were quicker are among its size already.
    const running = agents.tasks.countRunning(
      (task) => task.kind === 'local_agent' && !siblings.has(task.toolUseId ?? ''),
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
  const besides = running > 0 ? ` besides ${running} that are at work` : '';
  const price =
    forecast === undefined
      ? 'what they will cost cannot be said yet'
      : `by what agents cost so far that comes to about $${forecast.toFixed(forecast < 1 ? 4 : 2)}`;
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
    ...{ toolName: 'Agent', by: 'default' },
    ...{ input: { description }, reason, summary },
    allows: 'all that were asked for at once',
  });
  const answer = await agents.questions.propose(question, context.signal);
  if (answer.behaviour === 'allow') return undefined;
  agents.notice(
    `Agents were not started: ${reason}. The settings agents.askAboveAgents and agents.askAboveUsd say what is asked about.`,
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
