import type { AgentMemory } from '../../knowledge/agent-memory.ts';
import { ok } from '../../lib/result.ts';
import type { Role } from '../../permissions/types.ts';
import type { PermissionMode, Tool } from '../../protocol/index.ts';
import { type AgentServers, withServerTools } from '../agent-servers.ts';
import type { AgentDefinition } from '../definition.ts';
import type { AgentKernel, AgentStep } from '../kernel.ts';
import { chooseLate } from '../late-tools.ts';
import type { AgentSpec, AgentTools } from '../spec.ts';
import { namesAgent, resolveTools } from '../tool-filter.ts';
import { withMemory } from '../with-memory.ts';

export interface ToolNeeds {
  /** What an agent of this definition keeps between its runs; undefined where it keeps nothing, or may not. */
  findMemory(definition: AgentDefinition): AgentMemory | undefined;
  /** The mode that it will be in, from that of its parent. */
  decideMode(spec: AgentSpec, parent: PermissionMode): PermissionMode;
}

/** Which tools it has. A fork has its parent's, byte for byte. */
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
  { findMemory, decideMode }: ToolNeeds,
  servers?: AgentServers,
): AgentTools {
  const { definition, earlier, settings, parent } = spec;
  if (!definition) return inheritTools(spec);
  const all = withServerTools(agents.tools(), servers);
  const depth = parent.context.depth + 1;
  const choice = {
    definition,
    background: earlier ? false : spec.background,
    mode: decideMode(spec, parent.context.permissions.mode),
    ...{ depth, maxDepth: settings.maxDepth },
    ...(settings.giveBack ? { giveBack: settings.giveBack } : {}),
  };
  // Those it had, as far as they still exist: continuing gives nothing new, and moving to the background takes nothing.
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
    writable: memory?.mayWrite ? [memory.directory] : undefined,
    problem: late ? undefined : resolved.problem,
  };
}

function inheritTools({ parent: { context } }: AgentSpec): AgentTools {
  const { role } = context.permissions;
  return {
    listed: context.tools,
    unlisted: () => context.unlisted ?? [],
    role: () => role,
    writable: undefined,
    problem: undefined,
  };
}

/** What lets an agent read and stop its own background commands; its view of the registry holds nobody else's. */
function listTaskTools(all: readonly Tool[], kept: readonly Tool[]): Tool[] {
  if (!kept.some((tool) => tool.name === 'Bash')) return [];
  return all.filter(({ name }) => name === 'TaskOutput' || name === 'TaskStop');
}

/**
 * At the limit of depth the tool itself says so to an agent whose definition gives it: "there is no such tool" would be
 * half of the truth.
 */
function listLimitTeller(
  { settings, parent }: AgentSpec,
  definition: AgentDefinition,
  all: readonly Tool[],
  kept: readonly Tool[],
): Tool[] {
  if (!namesAgent(definition) || parent.context.depth + 1 < settings.maxDepth) return [];
  return kept.some((tool) => tool.name === 'Agent') ? [] : all.filter(({ name }) => name === 'Agent');
}

function addTools(role: Role, more: readonly Tool[]): Role {
  return role.tools === '*' ? role : { ...role, tools: [...role.tools, ...more.map((tool) => tool.name)] };
}
