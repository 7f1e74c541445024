import { matchesToolName } from '../permissions/names.ts';
import type { Tool } from '../protocol/index.ts';
import { isMcpToolName } from '../protocol/tool-names.ts';
import type { AgentServers } from './agent-servers.ts';
import { type FilterOptions, resolveTools } from './tool-filter.ts';

/** What an agent has of servers that were not there when it began. */
export interface LateTools {
  /** Leads to them. It stands for tools that the agent may have, so that its definition need not name it. */
  tool: Tool;
  /** Those that have come and that it was not shown. */
  come(shown: readonly Tool[]): Tool[];
}

/** `before`: the names of an agent's tools that goes on. What it was shown it is shown again. */
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
