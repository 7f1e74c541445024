import type { PermissionMode, Rule, SettingsLayer } from '../protocol/permission.ts';
import type { SandboxSettings } from './sandbox.ts';

/** What is in force, and where each value comes from. */
export interface LoadedSettings {
  /** Rules of all layers, highest layer first. */
  rules: Rule[];
  defaultMode?: PermissionMode;
  /** Absolute. */
  additionalDirectories: string[];
  bypassDisabled: boolean;
  autoDisabled: boolean;
  /** How long a question waits for its answer. */
  questionTimeoutSeconds?: number;
  /** The model that judges in `auto` mode. */
  autoModel?: string;
  model?: string;
  env: Record<string, string>;
  /** Names of variables, perhaps with a star, that commands get besides the usual ones. */
  environmentAllow: string[];
  cleanupPeriodDays?: number;
  bashOutputMaxChars?: number;
  claudeMdExcludes: string[];
  modelAliases: Record<string, string>;
  maxTurns?: number;
  fallbackModel?: string;
  maxBudgetUsd?: number;
  maxTokens?: number;
  /** USD per million tokens, by `provider/id` or its beginning. */
  modelPricing: Record<string, ModelPricing>;
  autoCompactEnabled?: boolean;
  autoCompactWindow?: number;
  sandbox: SandboxSettings;
  /** Absolute. Where plans are written. */
  plansDirectory?: string;
  /** How agents are run; see docs/agents.md. */
  agents: AgentsSettings;
  /** How worktrees are made and landed; see docs/worktrees.md. */
  worktree: WorktreeSettings;
  /** MCP servers and what is said about them; see docs/mcp.md. */
  mcp: McpSettings;
  /** Whether and how the session dreams; see docs/dream.md. */
  dream?: DreamSettings;
  /** The lead only directs others; see docs/coordinator.md. */
  coordinator?: boolean;
  scratchpad?: boolean;
  /** How the terminal app looks and calls; see docs/terminal.md. */
  terminal?: TerminalSettings;
  /** The command whose output is the status line. */
  statusLine?: { command: string };
  /** As written, highest layer first; those of a repository that is not trusted among them. */
  hooks: HooksSetting[];
  /** `all`: said by an administrator. `unmanaged`: said by anybody else, and not for an administrator's own. */
  hooksDisabled?: 'all' | 'unmanaged';
  managedHooksOnly: boolean;
  /** Addresses that hooks may be sent to; absent: any. */
  allowedHttpHookUrls?: string[];
  /** By key (`model`, `env.NAME`, `permissions.defaultMode` …): who said so. */
  origin: Map<string, SettingOrigin>;
  /** What the repository asks for and does not get. */
  held: HeldSetting[];
  /** Why nothing that was trusted counts, where something is held. */
  trustProblem?: string;
  /** Keys that somebody relies on for protection and that this version does not act on. */
  unheeded: { file: string; key: string }[];
  /** The files that were read, highest first. */
  files: string[];
}

export interface HooksSetting {
  layer: SettingsLayer;
  file: string;
  /** Directory that paths of rules in it are relative to. */
  base: string;
  hooks: Readonly<Record<string, unknown>>;
  /** They are without effect: until they are trusted, or for good. */
  held?: 'held' | 'refused';
}

export interface AgentsSettings {
  fork?: boolean;
  maxDepth?: number;
  maxConcurrent?: number;
  maxTotal?: number;
  autoBackground?: number;
  background?: boolean;
  permissionMode?: 'default' | 'acceptEdits' | 'ask';
  handoffCheck?: 'off' | 'rules' | 'model';
  maxTurns?: number;
  timeoutSeconds?: number;
  idleSeconds?: number;
  maxTokens?: number;
  maxBudgetUsd?: number;
  askAboveAgents?: number;
  askAboveUsd?: number;
  giveBack?: string[];
  model?: string;
}

export interface WorktreeSettings {
  /** Ignored directories by name that are copied into a worktree. */
  copyDirectories: string[];
  /** Ignored directories by name that are linked, besides the usual ones. */
  symlinkDirectories: string[];
  /** Where work begins: `head`, `fresh` (the default branch of `origin`, as last fetched), or a ref. */
  baseRef?: string;
  /** Work begins with what is not committed, too. */
  uncommitted?: boolean;
  /** A shell command that must succeed before work is landed. */
  gate?: string;
}

export interface McpSettings {
  /** Highest layer first; of two with one name the first counts. */
  servers: { name: string; config: unknown; file: string; layer: SettingsLayer }[];
  /** Of the servers in `.mcp.json`: only these, where given. */
  enabled?: string[];
  disabled: string[];
  /** Only servers that one of these names, where given. */
  allowed?: ServerPattern[];
  denied: ServerPattern[];
  /** How long a first request waits for servers whose tools are not known. */
  startupWaitMs?: number;
  timeoutMs?: number;
  toolTimeoutMs?: number;
}

export interface ServerPattern {
  serverName?: string;
  serverCommand?: string[];
  serverUrl?: string;
}

export interface DreamSettings {
  enabled?: boolean;
  idleMinutes?: number;
  maxTokens?: number;
  model?: string;
}

export interface TerminalSettings {
  /** False: nothing is redrawn only because time passes. */
  animation?: boolean;
  /** How a person is called. */
  notify?: 'bell' | 'osc9' | 'off';
  theme?: 'auto' | 'dark' | 'light';
  screenReader?: boolean;
}

export interface ModelPricing {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

export interface SettingOrigin {
  layer: SettingsLayer;
  file: string;
}

export interface HeldSetting {
  file: string;
  key: string;
  /** Whether the user's trust would put it in force. */
  liftedBy: 'trust' | 'nothing';
  /** The user has trusted what this file said before. */
  changed?: true;
  /** Where the file leads: no link out of the repository has power. */
  leadsTo?: string;
}
