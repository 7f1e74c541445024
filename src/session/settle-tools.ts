import type { AgentDefinition } from '../agents/definition.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Rule, Tool } from '../protocol/index.ts';
import { coreTools } from '../tools/index.ts';
import { installedRipgrep } from '../tools/ripgrep.ts';
import type { StructuredOutput } from '../tools/synthetic-output.ts';
import { isAttended } from './attended.ts';
import type { Models } from './choose-model.ts';
import type { Claimed } from './claimed.ts';
import type { Coordination } from './coordination.ts';
import { mainTools } from './main-agent.ts';
import { observeShell } from './observe-shell.ts';
import type { SessionReel } from './open-reel.ts';
import type { SessionOptions } from './options.ts';
import type { SettledAgents } from './settle-agents.ts';
import type { CoordinatorChoice } from './settle-coordinator.ts';
import type { McpChoice } from './settle-mcp.ts';
import type { SettledSkills } from './settle-skills.ts';
import { namesForAll, poolTools } from './tool-pool.ts';

export interface ToolNeeds {
  claimed: Claimed;
  mode: CoordinatorChoice;
  agents: SettledAgents;
  mcp: McpChoice;
  skills: SettledSkills;
  main: AgentDefinition | undefined;
  models: Models;
  rules: readonly Rule[];
  /** Lets path rules see what a tool reads. */
  noteTool(tool: Tool): Tool;
}

export interface SettledTools {
  /** The lead's own. */
  tools: Tool[];
  /** All that the session has, whatever the lead's definition leaves it: what its agents choose from. */
  all: Tool[];
  builtIn: readonly Tool[];
  coordination: Coordination | undefined;
  output: StructuredOutput | undefined;
}

/** Which tools there are, for the lead and for its agents. */
export async function settleTools(needs: ToolNeeds): Promise<Result<SettledTools>> {
  const { options, reel } = needs.claimed;
  const { agents, main, mode, rules } = needs;
  const driving = [...agents.tools, ...(await needs.skills.makeTool(rules))];
  const builtIn = [...handTools(needs), ...driving];
  const own = options.ownTools ?? [];
  const chosen = poolTools(builtIn, own, options.tools, rules);
  if (!chosen.ok) return chosen;
  const all = poolTools(builtIn, own, namesForAll(options.tools), rules);
  if (!all.ok) return all;
  const coordination = mode.on ? await coordinate(needs, builtIn, all.value) : undefined;
  const output = await openOutput(options.outputSchema);
  if (!output.ok) return output;
  const tools = coordination?.tools ?? (main ? mainTools(main, chosen.value) : chosen.value);
  const taped = (pool: readonly Tool[]) => onTape(pool, reel, driving, agents.recorded);
  return ok({
    tools: [...taped(tools), ...(output.value ? [output.value.tool] : [])],
    all: taped(all.value),
    ...{ builtIn, coordination, output: output.value },
  });
}

/** Those that start no agent and no skill. */
function handTools({ claimed, mcp, models, noteTool }: ToolNeeds): Tool[] {
  const { options, around, settings } = claimed;
  return coreTools(options.ripgrep ?? installedRipgrep(), around.home, {
    environment: { ...around.environment, ...settings.env },
    attended: isAttended(options),
    servers: mcp.watching,
    ...(models.search ? { search: models.search } : {}),
  }).map((tool) => observeShell(noteTool(tool), around.userHome));
}

/** Loaded only where a lead coordinates. */
async function coordinate(
  { claimed, mode, agents, rules }: ToolNeeds,
  builtIn: readonly Tool[],
  all: readonly Tool[],
): Promise<Coordination> {
  const { openCoordination } = await import('./coordination.ts');
  const { identity, options, around, settings } = claimed;
  const { scratchpad } = mode;
  const owner = identity.id;
  return openCoordination({ options, around, settings, agents, builtIn, all, rules, scratchpad, owner });
}

/** What agents and skills do is on the tape itself, so that the tools that start and stop them are not. */
function onTape(
  pool: readonly Tool[],
  reel: SessionReel | undefined,
  driving: readonly Tool[],
  recorded: readonly Tool[],
): Tool[] {
  const goesOn = (tool: Tool) =>
    recorded.includes(tool) || (!driving.includes(tool) && tool.name !== 'TaskStop');
  return pool.map((tool) => (reel && goesOn(tool) ? reel.wrapTool(tool) : tool));
}

/** The tool by which the agent hands in an answer of a given shape; loaded only where one is wanted. */
async function openOutput(
  schema: SessionOptions['outputSchema'],
): Promise<Result<StructuredOutput | undefined>> {
  if (schema === undefined) return ok(undefined);
  const { outputTool } = await import('../tools/synthetic-output.ts');
  return outputTool(schema);
}
