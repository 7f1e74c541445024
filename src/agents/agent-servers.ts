import type { Tool } from '../protocol/index.ts';

/** The MCP servers that an agent brings: they live as long as it does (MC1, CX2). */
export interface AgentServers {
  /** The tools known so far. */
  tools(): readonly Tool[];
  /** Resolves when all are known or given up; never takes unreasonably long. */
  ready(signal: AbortSignal): Promise<void>;
  /** Servers that could not be reached, in sentences. */
  notes(): string[];
  late: LateServers;
  /** Releases them. Calling it twice is harmless. */
  release(): Promise<void>;
}

/** Servers of the session that the agent may use and that were not connected when it started. */
export interface LateServers {
  isAny(): boolean;
  /** The tool that gives access to theirs; `mine` are those that the agent may have. */
  tool(mine: (tools: readonly Tool[]) => readonly Tool[]): Tool;
  /** All tools available by now. */
  tools(): readonly Tool[];
}

/** Tools are merged by name: the existing one wins. */
export function withServerTools(all: readonly Tool[], servers: AgentServers | undefined): readonly Tool[] {
  const more = servers?.tools() ?? [];
  if (more.length === 0) return all;
  const names = new Set(all.map((tool) => tool.name));
  return [...all, ...more.filter((tool) => !names.has(tool.name))];
}
