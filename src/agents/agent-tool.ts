import { ok, type Problem, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text.ts';
import {
  errorResult,
  type TaskHandle,
  type Tool,
  type ToolContext,
  type ToolProgress,
  type ToolResult,
} from '../protocol/index.ts';
import coordinatorDescription from './agent-coordinator.md' with { type: 'text' };
import { launchedResult, resultOf } from './agent-result.ts';
import { type AgentInput, agentSchema, renderAgentDescription } from './agent-schema.ts';
import type { Child, Order } from './child.ts';
import type { AgentDefinition } from './definition.ts';
import { makeDelegate } from './delegate.ts';
import { askAboutEdits } from './edit-leave.ts';
import { fillSkills } from './fill-skills.ts';
import { askAboutCost } from './forecast.ts';
import { makeFork } from './fork.ts';
import { isForked } from './fork-messages.ts';
import { worktreesKept } from './isolation.ts';
import { resolveType } from './resolve-type.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentServices } from './services.ts';
import { startAgent, totalReached } from './start-agent.ts';
import { withGitStatus } from './with-git-status.ts';

/** Hands work to another agent. Thin: it chooses, starts and waits; the agent itself runs as a task. */
export function agentTool(
  choices: Pick<AgentServices, 'definitions' | 'settings'> & { coordinates?: boolean },
  services: () => AgentServices,
): Tool<typeof agentSchema> {
  return {
    name: 'Agent',
    description: choices.coordinates
      ? coordinatorDescription.trim()
      : renderAgentDescription(choices.definitions, { forking: choices.settings.fork }),
    schema: agentSchema,
    access: () => [{ kind: 'none' }],
    concurrent: () => true,
    summary: (input) => visibleLine(`${input.subagent_type ?? ''} ${input.description}`.trim(), 200),
    // biome-ignore lint/correctness/useYield: what an agent does is in its own events
    async *run(input, context): AsyncGenerator<ToolProgress, ToolResult> {
      return delegate(services(), input, context);
    },
  };
}

async function delegate(
  services: AgentServices,
  input: AgentInput,
  context: ToolContext,
): Promise<ToolResult> {
  const parent = services.roster.find(context.agentId);
  if (!parent) return errorResult('This agent cannot start others: it is not known to the session.');
  const refusal = refusalOf(services, parent, input);
  if (refusal) return errorResult(refusal);
  const found = resolveType(input.subagent_type, {
    definitions: services.definitions,
    forking: services.settings.fork,
    rules: parent.context.permissions.rules,
    ...(parent.spawnable ? { spawnable: parent.spawnable } : {}),
    coordinates: parent.coordinates === true,
  });
  if (!found.ok) return errorResult(sayProblem(found.problem));
  const definition = found.value.kind === 'definition' ? found.value.definition : undefined;
  if (!definition && isFork(parent)) return errorResult(noForksOfForks);
  const costly = await askAboutCost(services, parent, context, input.description);
  if (costly) return errorResult(costly);
  const servers = definition && services.openServers?.(definition);
  await servers?.ready(context.signal);
  const ordered = await orderOf(services, parent, definition, input, context);
  const settled = await settle(services, parent, definition, input, ordered, context.signal);
  if (!settled.ok) {
    await servers?.release();
    return errorResult(sayProblem(settled.problem));
  }
  const plain = { ...settled.value.order, ...(servers ? { servers } : {}) };
  const order = definition ? await withGitStatus(services, parent, definition, plain) : plain;
  const made = definition
    ? makeDelegate(services, parent, definition, order)
    : makeFork(services, parent, order);
  if (made.ok && definition) await fillSkills(services, definition, made.value, context.signal);
  // Asked again, and in one step with the start: others of the same message may have begun meanwhile.
  const enough = context.signal.aborted ? tooLate : made.ok ? totalReached(services) : undefined;
  const ready = enough ? usage(enough) : made;
  if (!ready.ok) {
    await servers?.release();
    if (order.worktree) await services.worktrees?.leave(order.worktree);
    return errorResult(sayProblem(ready.problem));
  }
  const child = withNotes(ready.value, [...input.notes, ...settled.value.notes]);
  const task = startAgent(services, parent, child, { prompt: input.prompt, background: order.background });
  if (order.background) return launchedResult(child, input.prompt, task.outputFile, false);
  return waitFor(services, task, child, input.prompt, context);
}

function sayProblem({ message, hint }: Problem): string {
  return hint ? `${message} ${hint}` : message;
}

const tooLate = 'The turn was ended before the agent began.';
const noForksOfForks = 'A fork cannot start agents. Do the task yourself, and report.';

/** Twice over: by what the agent is, and by what its history says. */
function isFork({ context }: LiveAgent): boolean {
  return context.source === 'fork' || isForked(context.conversation.records);
}

function refusalOf(services: AgentServices, parent: LiveAgent, input: AgentInput): string | undefined {
  const { settings } = services;
  if (isFork(parent)) return noForksOfForks;
  if (parent.context.depth >= settings.maxDepth)
    return (
      `Agents are at most ${settings.maxDepth} deep here, and this one is at ${parent.context.depth}: ` +
      'do the work yourself. (The setting is agents.maxDepth.)'
    );
  const enough = totalReached(services);
  if (enough) return enough;
  if (input.isolation === 'remote')
    return 'isolation: remote is not available here. Leave it out, and give each agent files of its own.';
  return undefined;
}

/** Gives it a worktree of its own where the call or its definition wants one. */
async function settle(
  { worktrees }: AgentServices,
  parent: LiveAgent,
  definition: AgentDefinition | undefined,
  input: AgentInput,
  order: Order,
  signal: AbortSignal,
): Promise<Result<{ order: Order; notes: string[] }>> {
  const isolation = input.isolation ?? definition?.isolation;
  if (isolation === 'remote')
    return usage(
      `The agent type ${definition?.name} runs elsewhere (isolation: remote), which is not available here.`,
    );
  if (isolation !== 'worktree') return ok({ order, notes: [] });
  const kept = worktreesKept(parent);
  if (kept)
    return usage(
      `isolation: worktree is not possible here. ${kept}`,
      'Leave isolation out, take a type without it, or wait until the plan is approved.',
    );
  if (!worktrees)
    return usage('isolation: worktree is not available in a run that is recorded or played back.');
  const { agentId, name, description } = order;
  const cwd = parent.context.hands.directory.current;
  const named = name === undefined ? {} : { name };
  const made = await worktrees.make({ agentId, description, cwd, signal, ...named });
  if (!made.ok)
    return usage(`isolation: worktree is not possible here. ${made.problem.message}`, made.problem.hint);
  return ok({ order: { ...order, worktree: made.value.record }, notes: made.value.notes });
}

async function orderOf(
  services: AgentServices,
  parent: LiveAgent,
  definition: AgentDefinition | undefined,
  input: AgentInput,
  context: ToolContext,
): Promise<Order> {
  return {
    agentId: `a${services.ids.token(12)}`,
    toolUseId: context.toolUseId,
    description: input.description,
    prompt: input.prompt,
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.model === undefined ? {} : { model: input.model }),
    ...(input.effort === undefined ? {} : { effort: input.effort }),
    background: runsInBackground(services, parent, definition, input),
    editsAllowed:
      definition && !isApart(definition, input)
        ? await askAboutEdits(services, parent, definition, context)
        : false,
  };
}

/** Nobody need be asked about edits in a place that is its own. */
function isApart(definition: AgentDefinition, { isolation }: AgentInput): boolean {
  return (isolation ?? definition.isolation) === 'worktree';
}

/** Background switched off beats every wish for it. */
function runsInBackground(
  { settings }: AgentServices,
  parent: LiveAgent,
  definition: AgentDefinition | undefined,
  input: AgentInput,
): boolean {
  if (!settings.background) return false;
  if (parent.coordinates) return true;
  return settings.fork || definition?.background === true || input.run_in_background === true;
}

/** Waits until it ends or moves to the background, by itself after a while or by the user's wish. */
export async function waitFor(
  { settings, clock, slots }: AgentServices,
  task: TaskHandle,
  child: Child,
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
      child.owner,
      Promise.race([task.result(), task.backgrounded()]),
      context.signal,
    );
    return end === undefined || task.isBackgrounded()
      ? launchedResult(child, prompt, task.outputFile, true)
      : resultOf(child, prompt, end);
  } finally {
    cancel();
    context.signal.removeEventListener('abort', interrupt);
  }
}

function withNotes(child: Child, notes: readonly string[]): Child {
  return { ...child, notes: [...notes, ...child.notes] };
}
