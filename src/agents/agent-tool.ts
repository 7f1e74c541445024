import { ok, type Result, sayProblem, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import {
  errorResult,
  type TaskHandle,
  type Tool,
  type ToolContext,
  type ToolProgress,
  type ToolResult,
} from '../protocol/index.ts';
import type { Rule } from '../protocol/permission.ts';
import coordinatorDescription from './agent-coordinator.md' with { type: 'text' };
import { launchedResult, renderResult } from './agent-result.ts';
import { type AgentInput, type agentSchema, offerSchema, renderAgentDescription } from './agent-schema.ts';
import type { AgentKernel } from './kernel.ts';
import { searchMark } from './list-types.ts';
import { prepareAgent } from './prepare-agent.ts';
import type { LiveAgent } from './roster.ts';
import { type AgentSpec, findOwner } from './spec.ts';
import { startAgent } from './start-agent.ts';
import { resolveType } from './steps/type.ts';
import type { SeatWish, TeamSeat } from './teams.ts';

/** Hands work to another agent. It only starts the agent and waits; the agent itself runs as a task. */
export function agentTool(choices: AgentChoices, agents: () => AgentKernel): Tool<typeof agentSchema> {
  // Rendered when the model is first shown the tool: by then it is known where agents can run.
  let schema: typeof agentSchema | undefined;
  return {
    name: 'Agent',
    get description() {
      return describeAgentTool(choices);
    },
    get schema() {
      schema ??= offerSchema({ forking: choices.settings.fork, remote: choices.canRunAt?.('remote') });
      return schema;
    },
    access: () => [{ kind: 'none' }],
    concurrent: () => true,
    effect: () => 'unsafe',
    summary: (input) => visibleLine(`${input.subagent_type ?? ''} ${input.description}`.trim(), 200),
    // biome-ignore lint/correctness/useYield: what an agent does is in its own events
    async *run(input, context): AsyncGenerator<ToolProgress, ToolResult> {
      return delegate(agents(), input, context);
    },
  };
}

export interface AgentChoices extends Pick<AgentKernel, 'definitions' | 'settings'> {
  coordinates?: boolean;
  /** The rules that hold for the whole session. */
  rules?: readonly Rule[] | undefined;
  /** The types that the lead may start; absent is any. */
  spawnable?: readonly string[] | undefined;
  /** Whether agents can run at this place besides this process. */
  canRunAt?(place: string): boolean;
}

/** Only what can be had is offered. */
function describeAgentTool({ coordinates, definitions, settings, ...choices }: AgentChoices): string {
  if (coordinates) return coordinatorDescription.trim();
  const { rules = [], spawnable, canRunAt } = choices;
  const options = { definitions, forking: settings.fork, rules, spawnable };
  const offered = definitions.filter(
    ({ name, isolation }) =>
      (isolation !== 'remote' || canRunAt?.(isolation)) && resolveType(name, options).ok,
  );
  return renderAgentDescription(offered, { forking: settings.fork });
}

async function delegate(agents: AgentKernel, input: AgentInput, context: ToolContext): Promise<ToolResult> {
  const parent = agents.roster.find(context.agentId);
  if (!parent) return errorResult('This agent cannot start agents: it is not registered in this session.');
  const { toolUseId, signal } = context;
  if (input.subagent_type?.startsWith(searchMark)) return answerSearch(agents, parent, input);
  const { description, prompt, name, model, effort, isolation, host, worktree } = input;
  const { team_name: teamName } = input;
  const request = {
    toolUseId,
    description,
    prompt,
    name,
    model,
    effort,
    isolation,
    host,
    worktree,
    call: context,
    type: input.subagent_type,
    background: { wished: input.run_in_background === true },
  };
  const seat = findSeat(agents, parent, { teamName, name, isolation, type: input.subagent_type });
  if (!seat.ok) return errorResult(sayProblem(seat.problem));
  if (seat.value) return seat.value.start(request, context);
  const refuse = () => (signal.aborted ? 'The turn ended before the agent started.' : undefined);
  const begun = await prepareAgent(agents, parent, request, { signal, refuse }, (spec) => {
    spec.notes.unshift(...input.notes);
    return { spec, task: startAgent(agents, spec) };
  });
  if (!begun.ok) return errorResult(sayProblem(begun.problem));
  const { spec, task } = begun.value;
  if (spec.background) return launchedResult(spec, prompt, task.outputFile, false);
  return waitForAgent(agents, task, spec, prompt, context);
}

/** A team that was asked for and cannot be had is a refusal: no other kind of agent is given in its place. */
function findSeat({ teams }: AgentKernel, parent: LiveAgent, wish: SeatWish): Result<TeamSeat | undefined> {
  if (teams) return teams.findSeat(parent, wish);
  return wish.teamName === undefined
    ? ok(undefined)
    : usage('team_name: teams are not available in this session.');
}

/** Looks for the types that fit a task, among those that this agent may start. Nothing is started. */
async function answerSearch(
  { definitions, settings, placements }: AgentKernel,
  { context, spawnable, coordinates }: LiveAgent,
  { subagent_type = '', description, prompt }: AgentInput,
): Promise<ToolResult> {
  const { rules } = context.permissions;
  const options = {
    definitions,
    forking: settings.fork,
    rules,
    spawnable,
    coordinates: coordinates === true,
  };
  const available = definitions.filter(
    ({ name, isolation }) =>
      (isolation !== 'remote' || placements.has(isolation)) && resolveType(name, options).ok,
  );
  const query = subagent_type.slice(searchMark.length).trim() || `${description} ${prompt}`;
  const { renderFoundTypes } = await import('./search-types.ts');
  return { content: [{ type: 'text', text: renderFoundTypes(query, available) }], isError: false };
}

/** Waits until it ends or moves to the background, automatically after a while or at the user's request. */
export async function waitForAgent(
  { settings, clock, slots }: AgentKernel,
  task: TaskHandle,
  spec: AgentSpec,
  prompt: string,
  context: Pick<ToolContext, 'signal'>,
): Promise<ToolResult> {
  const mayMove = settings.background && settings.autoBackground > 0;
  const cancel = mayMove
    ? clock.after(settings.autoBackground * 1000, () => task.moveToBackground())
    : () => {};
  const interrupt = () => void task.kill(String(context.signal.reason ?? 'interrupted'));
  context.signal.addEventListener('abort', interrupt, { once: true });
  if (context.signal.aborted) interrupt();
  try {
    const end = await slots.lend(
      findOwner(spec),
      Promise.race([task.result(), task.backgrounded()]),
      context.signal,
    );
    return end === undefined || task.isBackgrounded()
      ? launchedResult(spec, prompt, task.outputFile, true)
      : renderResult(spec, prompt, end);
  } finally {
    cancel();
    context.signal.removeEventListener('abort', interrupt);
  }
}
