import type { GivenAgents } from '../agents/definitions/given-agents.ts';
import type { GivenHooks } from '../hooks/given-hooks.ts';
import type { CommandSource } from '../knowledge/command-source.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Machine } from '../lib/machine.ts';
import type { JournalCopy } from '../loop/agent-context.ts';
import type { HostServers } from '../mcp/transport/host.ts';
import type { ApprovalHub } from '../permissions/approval-hub.ts';
import type {
  Answer,
  Judge,
  Message,
  Model,
  PermissionMode,
  Question,
  TeammateMode,
  Thinking,
  Tool,
} from '../protocol/index.ts';
import type { Engine } from '../remote/engine.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { AgentSettings } from '../settings/loaded.ts';
import type { RipgrepSource } from '../tools/search/ripgrep.ts';
import type { OutputSchema } from '../tools/structured-output/synthetic-output.ts';
import type { Feature } from './feature.ts';
import type { TeamPart } from './team-part.ts';

/** Which earlier conversation to continue. */
export type Resume =
  | { from: 'latest' }
  /** `inOwnDirectory`: in the directory that it was started in, although `cwd` says another. */
  | { from: 'id'; id: string; inOwnDirectory?: true };

/** Every option of a session. All have defaults; nothing is read from globals later. */
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
  /** The agent's working directory; defaults to the process's. */
  cwd?: string;
  /** Works in its own git worktree: with this name, or any. */
  worktree?: string | true;
  /** Defaults to the process's environment. */
  environment?: Readonly<Record<string, string | undefined>>;
  additionalDirectories?: string[];
  clock?: Clock;
  ids?: Ids;
  /** The machine that the session is claimed on, for simulations. */
  machine?: Machine;
  ripgrep?: RipgrepSource;
  /** A worker's: the job that has the session, and what its agents are told about their new place. */
  holder?: { jobId: string; note: string };
  /** Another place for the journal: a call that can change something runs once it is there too. */
  journalCopy?: JournalCopy;
}

/** The model, its prompt, and how much it may use. */
export interface ModelOptions {
  /** `provider/id`, a bare id, an alias, or your own model. */
  model?: string | Model;
  thinking?: Thinking;
  /** Answers when the wait for the model would be long. */
  fallbackModel?: string;
  /** How long the session stays suspended by a limit that resets later: `90m`, `6h` (the default), `0`. */
  wait?: string;
  /** Replaces the main prompt; environment and project memory stay. */
  systemPrompt?: string;
  appendSystemPrompt?: string;
  /** The shape of the answer: a JSON schema or a zod schema. It comes back in `Outcome.output`. */
  outputSchema?: OutputSchema;
  maxTurns?: number;
  /** Limits for the session with all its agents, in dollars and in tokens. */
  maxBudgetUsd?: number;
  maxTokens?: number;
}

/** The available agents, and what the session itself runs as. */
export interface AgentOptions {
  /** Agents that a program adds, by name: the fields of an agent file, and `prompt`. */
  agents?: GivenAgents;
  /** The value of `--agents`: JSON, or a file that holds it. */
  agentsFlag?: string;
  /** Runs the session as this agent: its prompt, tools and model. */
  agent?: string;
  /** The session's own agent only directs workers; see docs/coordinator.md. */
  coordinator?: boolean;
  /** Where teammates run; the setting `teammateMode` otherwise. */
  teammateMode?: TeammateMode;
  /** `NAME@TEAM`: the session is this member, as its launch file says. */
  teamMember?: string;
  /** With `teamMember`, in a pane that the leader opened: what its leader gives it. */
  teamPart?: TeamPart;
  /** With `teamMember`: its part in the team is over, and so is the session. The caller closes it. */
  onTeamEnd?: (reason: string) => void;
  /**
   * Where remote agents are sent: the address of a server, or an engine that the program has opened, which it also closes. The setting
   * `remote.engine` otherwise. False: none, whatever settings say.
   */
  engine?: string | Engine | false;
  /** Agents run on workers unless a call or a definition says where; the setting `remote.agents` otherwise. */
  remote?: boolean;
  /** On top of the settings `agents`. */
  agentLimits?: Partial<AgentSettings>;
  /** Also publishes the agents' answers piece by piece, not only the lead's. */
  streamAgents?: boolean;
}

/** Extensions of the session. */
export interface ExtensionOptions {
  /** Your own features: tools, parts of the prompt and notices that open and close with the session. */
  features?: readonly Feature[];
  /** Your own hooks, run beside those of settings; see docs/hooks.md. */
  hooks?: GivenHooks;
  /**
   * The only skills that the model is shown and may load. Slash commands, and skills that agents start with, are not
   * affected.
   */
  skills?: string[];
  /** Leaves out all skills and slash commands. */
  disableSlashCommands?: boolean;
  /** Slash commands that a program adds. */
  commandSources?: CommandSource[];
  /** Plugin directories, whose agents, skills, commands and hooks are loaded. */
  pluginDirectories?: string[];
  /** MCP servers by name, as in `.mcp.json`. */
  mcpServers?: Record<string, unknown>;
  /** Values of `--mcp-config`: files, or JSON. */
  mcpConfig?: string[];
  /** Uses only these MCP servers, and those of agents. */
  strictMcpConfig?: boolean;
  /** MCP servers that this program runs itself. */
  hostServers?: HostServers;
}

/** Permissions, and who answers questions. */
export interface PermissionOptions {
  /** The built-in tools of the session, its agents included; all by default. */
  tools?: string[];
  /** Your own tools, beside the built-in ones. */
  ownTools?: Tool[];
  /** Rules as in settings: `Read`, `Bash(npm test)`, `Edit(src/**)`. */
  allowedTools?: string[];
  disallowedTools?: string[];
  permissionMode?: PermissionMode;
  /** How to work in plan mode, in place of the usual phases. */
  planModeInstructions?: string;
  /** Lets the mode be switched to `bypassPermissions` later. */
  allowBypass?: boolean;
  /** A person at a terminal answers questions. */
  interactive?: boolean;
  /** One prompt, one answer: a limit that resets later ends the run, unless `wait` says otherwise. */
  oneShot?: boolean;
  /** Answers questions. Without it, and unless `attended`, every question is answered with a denial. */
  onQuestion?: (question: Question, signal: AbortSignal) => Promise<Answer>;
  /** True when `answer` commands will come for the questions in the event stream. */
  attended?: boolean;
  /** True when `answer` commands will come for what MCP servers ask, even if not for other questions. */
  answersElicitations?: boolean;
  /** The queue that questions wait in, if several sessions share one. The program that passes it also answers it. */
  approvals?: ApprovalHub;
  /** Judges in `auto` mode, instead of the model that the settings name. */
  judge?: Judge;
  /** Whether shell commands are confined; by default as the settings say, else wherever the sandbox works. */
  sandbox?: boolean;
}

/** Which settings are in force. */
export interface SettingsOptions {
  /** A settings file or a JSON string, on top of the files. */
  settings?: string;
  /** Which settings files are read; all by default. */
  settingSources?: ('user' | 'project' | 'local')[];
  /** Lets the repository's own settings take effect in this session. */
  trust?: boolean;
}

/** The conversation that the session continues, and what is kept of it. */
export interface HistoryOptions {
  /** Begins with this conversation, which belongs to no earlier session. */
  inherited?: readonly Message[];
  resume?: Resume;
  /** With `resume`: continues in a new session and leaves the old one as it is. */
  fork?: boolean;
  sessionId?: string;
  /** The title of a new session; else its first prompt. A resumed one keeps its own. */
  title?: string;
  /** False keeps nothing on disk after the session. */
  persist?: boolean;
  /**
   * Writes all that comes from outside to this file, or plays it back from there: same requests, same times, same ids.
   */
  record?: string;
  replay?: string;
  /** With `replay`: the caller sends the session's commands, at its own pace. */
  byHand?: boolean;
}

/** Whether questions can be answered at all. */
export function isAttended({ attended, onQuestion, approvals }: SessionOptions): boolean {
  return attended === true || onQuestion !== undefined || approvals !== undefined;
}

/** There is no use for plan mode if no one can approve a plan and none was asked for. A leader approves those of its team. */
export function mayPlan(
  options: SessionOptions,
  { permissions }: Pick<LoadedSettings, 'permissions'>,
): boolean {
  return isAttended(options) || (options.permissionMode ?? permissions.defaultMode) === 'plan';
}
