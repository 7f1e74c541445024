import { visibleLine } from '../lib/text/text.ts';
import type { Role } from '../places/types.ts';
import type { Effort } from '../protocol/effort.ts';
import type { PermissionMode } from '../protocol/permission.ts';

export { type Effort, efforts } from '../protocol/effort.ts';

/** Where a definition comes from, strongest first: of two with one name the stronger counts, whole. */
export const agentSources = ['managed', 'cli', 'library', 'project', 'user', 'plugin', 'built-in'] as const;

export type AgentSource = (typeof agentSources)[number];

/** What one type of agent is: read from a file, a flag or a program, or built in. Plain data; it starts nothing. */
export interface AgentDefinition {
  readonly name: string;
  /** When to delegate to it: what the parent's model reads. */
  readonly description: string;
  /** Its system prompt, without environment and memory. */
  readonly prompt: string;
  readonly source: AgentSource;
  readonly file?: string;
  /** Canonical names and `mcp__server__*`. Each grants what it names and nothing else; an empty list grants nothing. */
  readonly tools: '*' | readonly string[];
  readonly disallowedTools: readonly string[];
  /** An alias or an id. Absent: as the parent. */
  readonly model?: string;
  /** The user has trusted what this file of a repository says, as it is now. */
  readonly trusted?: boolean;
  /** As written. Whether it counts depends on `source` and on the parent's mode: a project's may only narrow. */
  readonly permissionMode?: PermissionMode;
  readonly maxTurns?: number;
  readonly background: boolean;
  readonly isolation?: 'worktree' | 'remote';
  readonly mcpServers: readonly AgentMcpServer[];
  readonly skills: readonly string[];
  /** In the shape of the settings' `hooks`; checked by whoever runs them. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  readonly memory?: 'user' | 'project' | 'local';
  readonly color?: string;
  /** Neither project memory nor git status enter its prompt. */
  readonly omitProjectMemory: boolean;
  readonly effort?: Effort;
  /** Sent first where this agent is the main one. */
  readonly initialPrompt?: string;
  /** Tokens at which it compacts itself; can only lower. */
  readonly autoCompactWindow?: number;
  readonly role: Role;
  /** The types it may start, from `Agent(a, b)`. Absent: any, if it has the tool at all. */
  readonly spawnable?: readonly string[];
  /** What was written and does not count, in sentences for people. */
  readonly notes: readonly string[];
}

/** By name: the session's own connection. With a configuration: one that lives as long as the agent. */
export interface AgentMcpServer {
  readonly name: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

/** The pseudo-type: a child that goes on from the parent's own conversation. No file may take the name. */
export const forkType = 'fork';

/** What a coordinator starts. */
export const workerType = 'worker';

export interface BrokenAgent {
  /** Or the flag, where the definition stands in the flag itself. */
  file: string;
  line?: number;
  reason: string;
  source: AgentSource;
  /** Set where the user named it for this run: then it is worth an end with a message. */
  flag?: string;
}

/** What one file, flag or program gave. */
export interface ReadAgents {
  definitions: AgentDefinition[];
  broken: BrokenAgent[];
}

/** A definition's own lists in a few words, for people. */
export function describeLists({ tools, disallowedTools }: AgentDefinition): string {
  const granted = tools === '*' ? 'all tools' : tools.join(', ') || 'no tools';
  const but = disallowedTools.length > 0 ? ` but ${disallowedTools.join(', ')}` : '';
  return visibleLine(granted + but, 300);
}
