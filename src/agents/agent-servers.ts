import type { Tool } from '../protocol/index.ts';

/** The MCP servers that an agent brings along: they live as long as it does (MC1, CX2). */
export interface AgentServers {
  /** As far as they are known. */
  tools(): readonly Tool[];
  /** Resolves when all are known or given up; never takes longer than is reasonable. */
  ready(signal: AbortSignal): Promise<void>;
  /** What could not be had, in sentences. */
  notes(): string[];
  late: LateServers;
  /** Gives them back. Twice does no harm. */
  release(): Promise<void>;
}

/** Servers of the session that the agent may use and that were not there when it began. */
export interface LateServers {
  isAny(): boolean;
  /** The tool that leads to theirs; `mine` are those that the agent may have. */
  tool(mine: (tools: readonly Tool[]) => readonly Tool[]): Tool;
  /** All that is there by now. */
  tools(): readonly Tool[];
}

/** Tools are merged by name: the one already there wins. */
export function withServerTools(all: readonly Tool[], servers: AgentServers | undefined): readonly Tool[] {
  const more = servers?.tools() ?? [];
  if (more.length === 0) return all;
  const names = new Set(all.map((tool) => tool.name));
  return [...all, ...more.filter((tool) => !names.has(tool.name))];
}
