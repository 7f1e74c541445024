import type { AgentMemory } from '../../knowledge/agent-memory.ts';
import { form } from '../../lib/form/form.ts';
import { ok } from '../../lib/result.ts';
import { describeAs } from '../../loop/describe-tools.ts';
import { matchesToolName } from '../../places/names.ts';
import type { Role } from '../../places/types.ts';
import { defineTool, errorResult, type Tool, type ToolSpec } from '../../protocol/index.ts';
import { isMcpToolName } from '../../protocol/tool-names.ts';
import { type AgentServers, withServerTools } from '../agent-servers.ts';
import type { AgentDefinition } from '../definition.ts';
import type { AgentKernel, AgentStep } from '../kernel.ts';
import type { AgentSpec, AgentTools } from '../spec.ts';
import { type FilterOptions, namesAgent, resolveTools } from '../tool-filter.ts';

export interface ToolNeeds {
  /** The notes that an agent of this definition keeps between its runs; undefined if it keeps none, or may not. */
  findMemory(definition: AgentDefinition): AgentMemory | undefined;
  /** Whether it makes a plan of its own, and submits it. */
  plansAlone(spec: AgentSpec): boolean;
  /** Whether anybody approves the plans of agents that are not teammates. */
  approvesPlans: boolean;
}

/** Its tools. A fork has its parent's, byte for byte. */
export function toolStep(needs: ToolNeeds): AgentStep {
  return {
    name: 'tools',
    complete(spec, agents) {
      spec.tools = chooseTools(spec, agents, needs);
      return ok(undefined);
    },
  };
}

/** Again with those of its servers, once they are known. */
export function chooseTools(
  spec: AgentSpec,
  agents: AgentKernel,
  { findMemory, plansAlone, approvesPlans }: ToolNeeds,
  servers?: AgentServers,
): AgentTools {
  const { definition, earlier, settings, parent } = spec;
  if (!definition) return inheritTools(spec);
  const all = withServerTools(agents.tools(), servers);
  const depth = parent.context.identity.depth + 1;
  const choice = {
    definition,
    background: earlier || spec.request.standby ? false : spec.background,
    teammate: spec.request.standby !== undefined,
    plans: plansAlone(spec) && (approvesPlans || spec.request.standby !== undefined),
    depth,
    maxDepth: settings.maxDepth,
    giveBack: settings.giveBack,
  };
  // The tools it had, as far as they still exist: continuing adds none, and moving to the background removes none.
  const before = earlier?.state.tools;
  const pool = before ? all.filter(({ name }) => before.includes(name)) : all;
  const resolved = resolveTools(pool, choice);
  const late = chooseLate(servers, choice, before);
  const hidden = [
    ...listTaskTools(agents.tools(), resolved.tools),
    ...listLimitTeller(spec, definition, agents.tools(), resolved.tools),
  ];
  const memory = findMemory(definition);
  const chosen = withMemory(memory, agents.tools(), resolved, definition);
  const unlisted = () => [...hidden, ...(late?.come(chosen.tools) ?? [])];
  return {
    listed: late ? [...chosen.tools, late.tool] : chosen.tools,
    unlisted,
    role: () => addTools(chosen.role, late ? [late.tool, ...unlisted()] : hidden),
    writable: memory?.mayWrite ? [memory.place] : undefined,
    problem: late ? undefined : resolved.problem,
  };
}

function inheritTools({ parent: { context }, earlier }: AgentSpec): AgentTools {
  const { role } = context.permissions;
  const sent = earlier?.state.sent?.tools;
  const same = (spec: ToolSpec) =>
    describeAs(context.tools.find(({ name }) => name === spec.name) ?? lostTool(spec), spec);
  return {
    listed: sent ? sent.map(same) : context.tools,
    unlisted: () => context.unlisted ?? [],
    role: () => role,
    writable: undefined,
    problem: undefined,
  };
}

/** A tool that the fork was shown in an earlier process and that no longer exists. */
function lostTool({ name }: ToolSpec): Tool {
  return defineTool({
    name,
    description: '',
    schema: form.looseObject({}),
    access: () => [{ kind: 'none' }],
    concurrent: () => true,
    summary: () => '',
    // biome-ignore lint/correctness/useYield: it is over at once
    async *run() {
      return errorResult(`The tool ${name} no longer exists in this session. Continue without it.`);
    },
  });
}

/** For an agent that continues and was not shown them when it began: it still reads and stops its own commands. */
function listTaskTools(all: readonly Tool[], kept: readonly Tool[]): Tool[] {
  if (!kept.some((tool) => tool.name === 'Bash')) return [];
  return all.filter((tool) => /^Task(?:Output|Stop)$/.test(tool.name) && !kept.includes(tool));
}

/**
 * At the depth limit the tool itself explains the refusal to an agent whose definition grants it: "there is no such
 * tool" would be misleading.
 */
function listLimitTeller(
  { settings, parent }: AgentSpec,
  definition: AgentDefinition,
  all: readonly Tool[],
  kept: readonly Tool[],
): Tool[] {
  if (!namesAgent(definition) || parent.context.identity.depth + 1 < settings.maxDepth) return [];
  return kept.some((tool) => tool.name === 'Agent') ? [] : all.filter(({ name }) => name === 'Agent');
}

function addTools(role: Role, more: readonly Tool[]): Role {
  return role.tools === '*' ? role : { ...role, tools: [...role.tools, ...more.map((tool) => tool.name)] };
}

/** An agent's access to servers that were not connected when it started. */
export interface LateTools {
  /** Gives access to them. It represents tools that the agent may have, so its definition need not name it. */
  tool: Tool;
  /** Those that have come since and that it was not shown. */
  come(shown: readonly Tool[]): Tool[];
}

/** `before`: the tool names of an agent that continues. The tools it was shown are shown again. */
export function chooseLate(
  servers: AgentServers | undefined,
  choice: FilterOptions,
  before: readonly string[] | undefined,
): LateTools | undefined {
  const late = servers?.late;
  const isWanted = before ? before.includes('McpCall') : late?.isAny() === true;
  if (!late || !isWanted) return undefined;
  if (choice.definition.disallowedTools.some((pattern) => matchesToolName(pattern, 'McpCall')))
    return undefined;
  const mine = (tools: readonly Tool[]) =>
    resolveTools(
      tools.filter(({ name }) => isMcpToolName(name)),
      choice,
    ).tools;
  return {
    tool: late.tool(mine),
    come: (shown) => mine(late.tools()).filter(({ name }) => !shown.some((tool) => tool.name === name)),
  };
}

const memoryTools = ['Read', 'Write', 'Edit'];

/**
 * The tools needed to keep a memory. An agent gets those that it lacks, for its memory directory only; a tool that its
 * definition disallows is not added.
 */
export function withMemory(
  memory: AgentMemory | undefined,
  all: readonly Tool[],
  { tools, role }: { tools: readonly Tool[]; role: Role },
  { disallowedTools }: AgentDefinition,
): { tools: readonly Tool[]; role: Role } {
  if (!memory?.mayWrite) return { tools, role };
  const added = all.filter(
    ({ name }) =>
      memoryTools.includes(name) &&
      !tools.some((tool) => tool.name === name) &&
      !disallowedTools.some((pattern) => matchesToolName(pattern, name)),
  );
  if (added.length === 0) return { tools, role };
  const names = added.map(({ name }) => name);
  // In the order of all tools, as for other agents.
  const both = all.filter((tool) => tools.includes(tool) || added.includes(tool));
  return {
    tools: both,
    role: {
      ...role,
      tools: role.tools === '*' ? '*' : [...role.tools, ...names],
      confined: { tools: names, to: [memory.place] },
    },
  };
}
