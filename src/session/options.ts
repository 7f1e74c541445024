import type { GivenAgents } from '../agents/definitions/given-agents.ts';
import type { AgentSettings } from '../agents/settings.ts';
import type { GivenHooks } from '../hooks/given-hooks.ts';
import type { CommandSource } from '../knowledge/command-source.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { HostServers } from '../mcp/transport/host.ts';
import type { ApprovalHub } from '../permissions/approval-hub.ts';
import type {
  Answer,
  Judge,
  Message,
  Model,
  PermissionMode,
  Question,
  Thinking,
  Tool,
} from '../protocol/index.ts';
import type { RipgrepSource } from '../tools/search/ripgrep.ts';
import type { OutputSchema } from '../tools/structured-output/synthetic-output.ts';
import type { Feature } from './feature.ts';

/** Which earlier conversation to go on with. */
export type Resume = { from: 'latest' } | { from: 'id'; id: string };

/** All that a program can say about a session. Everything has a default; nothing is read from globals later. */
export interface SessionOptions
  extends PlaceOptions,
    ModelOptions,
    AgentOptions,
    ExtensionOptions,
    PermissionOptions,
    SettingsOptions,
    HistoryOptions {}

/** Where the session runs. */
export interface PlaceOptions {
  /** Where the agent works; defaults to the process's directory. */
  cwd?: string;
  /** Works in a git worktree of its own: of this name, or of any. */
  worktree?: string | true;
  /** Defaults to the process's environment. */
  environment?: Readonly<Record<string, string | undefined>>;
  additionalDirectories?: string[];
  clock?: Clock;
  ids?: Ids;
  ripgrep?: RipgrepSource;
}

/** Who answers, what it is told first, and how much it may use. */
export interface ModelOptions {
  /** `provider/id`, a bare id, an alias, or a model of your own. */
  model?: string | Model;
  thinking?: Thinking;
  /** Answers when the wait for the model would be long. */
  fallbackModel?: string;
  /** Replaces the main prompt; environment and project memory stay. */
  systemPrompt?: string;
  appendSystemPrompt?: string;
  /** The shape of the answer: a JSON schema or a zod schema. It comes back in `Outcome.output`. */
  outputSchema?: OutputSchema;
  maxTurns?: number;
  /** What the session, with all its agents, may cost in dollars, and use in tokens. */
  maxBudgetUsd?: number;
  maxTokens?: number;
}

/** The agents there are, and what the session itself runs as. */
export interface AgentOptions {
  /** Agents that a program brings along, by name: the fields of an agent file, and `prompt`. */
  agents?: GivenAgents;
  /** The value of `--agents`: JSON, or a file that holds it. */
  agentsFlag?: string;
  /** Runs the session as this agent: its prompt, tools and model. */
  agent?: string;
  /** The session's own agent only directs workers; see docs/coordinator.md. */
  coordinator?: boolean;
  /** On top of the settings `agents`. */
  agentLimits?: Partial<AgentSettings>;
  /** Publishes what agents say piece by piece too, not only the lead. */
  streamAgents?: boolean;
}

/** What the session is extended by. */
export interface ExtensionOptions {
  /** Features of your own: tools, parts of the prompt and notices that a session opens and closes with. */
  features?: readonly Feature[];
  /** Hooks of your own, asked beside those of settings; see docs/hooks.md. */
  hooks?: GivenHooks;
  /** The only skills that the model is shown and may load. What a person types, and what agents begin with, stays. */
  skills?: string[];
  /** Leaves out all skills and slash commands. */
  disableSlashCommands?: boolean;
  /** Slash commands that a program brings along. */
  commandSources?: CommandSource[];
  /** Directories of plugins, of which agents, skills, commands and hooks are taken. */
  pluginDirectories?: string[];
  /** MCP servers by name, as in `.mcp.json`. */
  mcpServers?: Record<string, unknown>;
  /** Values of `--mcp-config`: files, or JSON. */
  mcpConfig?: string[];
  /** No MCP servers but these, and those of agents. */
  strictMcpConfig?: boolean;
  /** MCP servers that this program runs itself. */
  hostServers?: HostServers;
}

/** What may be done, and who is asked. */
export interface PermissionOptions {
  /** Which of the built-in tools the session has, its agents included; all by default. */
  tools?: string[];
  /** Tools of your own, beside the built-in ones. */
  ownTools?: Tool[];
  /** Rules as in settings: `Read`, `Bash(npm test)`, `Edit(src/**)`. */
  allowedTools?: string[];
  disallowedTools?: string[];
  permissionMode?: PermissionMode;
  /** Lets the mode be switched to `bypassPermissions` later. */
  allowBypass?: boolean;
  /** A person at a terminal answers questions. */
  interactive?: boolean;
  /** Nobody watches the run: it gives up where a rate limit would have it wait longer than `maxWaitMinutes`. */
  unattended?: boolean;
  /**
   * Answers questions. Without it, and unless `attended`, whatever would be asked is denied.
   */
  onQuestion?: (question: Question, signal: AbortSignal) => Promise<Answer>;
  /** True when `answer` commands will come for the questions in the event stream. */
  attended?: boolean;
  /** The queue that questions wait in, where several sessions share one. Whoever gives it attends it. */
  approvals?: ApprovalHub;
  /** Judges in `auto` mode, instead of the model that the settings name. */
  judge?: Judge;
  /** Whether shell commands are confined; by default as the settings say, and where they say nothing: where it works. */
  sandbox?: boolean;
}

/** Which settings are in force. */
export interface SettingsOptions {
  /** A settings file or a JSON text, on top of the files. */
  settings?: string;
  /** Which settings files count; all by default. */
  settingSources?: ('user' | 'project' | 'local')[];
  /** Lets the repository's own settings take effect in this session. */
  trust?: boolean;
}

/** What the session continues, and what is kept of it. */
export interface HistoryOptions {
  /** Begins with this conversation, which is no earlier session's. */
  inherited?: readonly Message[];
  resume?: Resume;
  /** With `resume`: goes on in a new session and leaves the old one as it is. */
  fork?: boolean;
  sessionId?: string;
  /** False keeps nothing on disk after the session. */
  persist?: boolean;
  /** Writes all that comes from outside to this file, or plays it back from there: same requests, same times, same ids. */
  record?: string;
  replay?: string;
  /** With `replay`: whoever drives the session gives its commands, and takes their time. */
  byHand?: boolean;
}

/** Whether questions can be answered at all. */
export function isAttended({ attended, onQuestion, approvals }: SessionOptions): boolean {
  return attended === true || onQuestion !== undefined || approvals !== undefined;
}
