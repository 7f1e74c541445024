import { visibleLine } from '../lib/text/text.ts';
import type { Role } from '../places/types.ts';
import type { Effort } from '../protocol/effort.ts';
import type { PermissionMode } from '../protocol/permission.ts';

export { type Effort, efforts } from '../protocol/effort.ts';

/** Where a definition comes from, strongest first: of two with one name the stronger one is used, as a whole. */
export const agentSources = ['managed', 'cli', 'library', 'project', 'user', 'plugin', 'built-in'] as const;

export type AgentSource = (typeof agentSources)[number];

/** One type of agent: read from a file, a flag or a program, or built in. Plain data; it starts nothing. */
export interface AgentDefinition {
  readonly name: string;
  /** When to delegate to it: for the parent's model. */
  readonly description: string;
  /** Its system prompt, without environment and memory. */
  readonly prompt: string;
  readonly source: AgentSource;
  readonly file?: string;
  /** The directory of the plugin that it comes from. */
  readonly plugin?: string;
  /** Canonical names and `mcp__server__*`. Each grants what it names and nothing else; an empty list grants nothing. */
  readonly tools: '*' | readonly string[];
  readonly disallowedTools: readonly string[];
  /** An alias, an id, or `inherit` for the parent's. If absent, `agents.model` decides, else the parent's. */
  readonly model?: string;
  /** The user has trusted this repository file with its current content. */
  readonly trusted?: boolean;
  /** As written. Whether it applies depends on `source` and on the parent's mode: a project's may only narrow. */
  readonly permissionMode?: PermissionMode;
  readonly maxTurns?: number;
  readonly background: boolean;
  readonly isolation?: 'worktree' | 'remote';
  /** Only workers with this label run it; with `isolation: remote`. */
  readonly host?: string;
  readonly mcpServers: readonly AgentMcpServer[];
  readonly skills: readonly string[];
  /** In the shape of the settings' `hooks`; checked where they are run. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  readonly memory?: 'user' | 'project' | 'local';
  readonly color?: string;
  /** Neither project memory nor git status are part of its prompt. */
  readonly omitProjectMemory: boolean;
  readonly effort?: Effort;
  /** Sent first if this agent is the main one. */
  readonly initialPrompt?: string;
  /** Tokens at which it compacts itself; can only lower the limit. */
  readonly autoCompactWindow?: number;
  readonly role: Role;
  /** The types it may start, from `Agent(a, b)`. If absent, any, provided that it has the tool. */
  readonly spawnable?: readonly string[];
  /** Fields that were ignored and why, in sentences for people. */
  readonly notes: readonly string[];
}

const hostLabel = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** The label of workers that an agent can name. */
export function isHostLabel(text: string): boolean {
  return hostLabel.test(text);
}

/** By name: the session's own connection. With a configuration: one that lives as long as the agent. */
export interface AgentMcpServer {
  readonly name: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

/** The pseudo-type: a child that continues from the parent's conversation. No file may take the name. */
export const forkType = 'fork';

/** The type that a coordinator starts. */
export const workerType = 'worker';

export interface BrokenAgent {
  /** Or the flag, if the definition is written in the flag itself. */
  file: string;
  line?: number;
  reason: string;
  source: AgentSource;
  /** It may not be read for a model. */
  isRefused?: true;
  /** Set if the user named it for this run: then it is worth refusing to start. */
  flag?: string;
}

/** The definitions of one file, flag or program. */
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
