import { ok, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { isSubAgent, type ToolContext, type ToolUseBlock, toolUses } from '../../protocol/index.ts';
import type { AgentSettings } from '../../settings/loaded.ts';
import type { AgentDefinition } from '../definition.ts';
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
    const start = describeStart(listStarts(parent, context.toolUseId), agents.definitions);
    const answer = this.#byMessage.get(message) ?? ask(agents, context, { description, reason, ...start });
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
  { description, reason, summary, preview }: StartWords & { description: string; reason: string },
): Promise<string | undefined> {
  const question = questionAbout(agents, context, {
    toolName: 'Agent',
    by: 'default',
    input: { description },
    reason,
    summary,
    preview,
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
  const starts = listStarts(parent, toolUseId);
  return new Set(starts.length === 0 ? [toolUseId] : starts.map(({ id }) => id));
}

function listStarts(parent: LiveAgent, toolUseId: string): ToolUseBlock[] {
  const caller = findCaller(parent, toolUseId);
  if (caller?.type !== 'assistant') return [];
  return toolUses(caller.message).filter(({ name }) => name === 'Agent' || name === 'Task');
}

interface StartWords {
  /** A sentence: how many agents of which types, and what they may change. */
  summary: string;
  /** A line for each. */
  preview: string;
}

/** Agents about to be started, for the user who is asked. */
export function describeStart(
  starts: readonly Pick<ToolUseBlock, 'input'>[],
  definitions: readonly AgentDefinition[],
): StartWords {
  const agents = starts.map(({ input }) => {
    const { type, subagent_type: named = type, description, isolation } = input;
    const name = typeof named === 'string' ? visibleLine(named, 60) : 'general-purpose';
    const definition = definitions.find((one) => one.name === name);
    const isApart = (isolation ?? definition?.isolation) === 'worktree';
    return { name, isApart, writes: definition?.role.writes ?? true, task: String(description ?? '') };
  });
  const count = agents.length;
  const byType = [...Map.groupBy(agents, ({ name }) => name)].map(([name, { length }]) => ({ name, length }));
  const [only] = byType;
  const noun = count === 1 ? 'agent' : 'agents';
  const kinds = byType.map(({ name, length }) => `${length} ${name}`).join(', ');
  const what = byType.length === 1 && only ? `${count} ${only.name} ${noun}` : `${count} ${noun} (${kinds})`;
  const writers = agents.filter(({ writes }) => writes);
  return {
    summary: count === 0 ? 'Start these agents?' : `Start ${what}? ${describeReach(writers)}`,
    preview: agents.map(({ name, task }) => `${name}: ${visibleLine(task, 200)}`).join('\n'),
  };
}

function describeReach(writers: readonly { isApart: boolean }[]): string {
  if (writers.length === 0) return 'They change no files.';
  const apart = writers.filter(({ isApart }) => isApart).length;
  if (apart === writers.length) return 'They may edit files in their own worktrees.';
  return apart === 0
    ? 'They may edit files in this directory.'
    : 'They may edit files in this directory, some in their own worktrees.';
}

function findMessage(parent: LiveAgent, toolUseId: string): string {
  return findCaller(parent, toolUseId)?.uuid ?? toolUseId;
}
