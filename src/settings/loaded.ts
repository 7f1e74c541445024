import type { Rule, SettingsLayer } from '../protocol/permission.ts';
import type { FilledTable } from './table/setting.ts';
import type { MergedSettings, settingsTable } from './table/settings.ts';
import type { UnheededKey } from './unheeded.ts';

/** The active settings, key by key as in a file, and where they come from. */
export type LoadedSettings = MergedSettings & LoadReport;

/** Other findings of loading besides the values. */
export interface LoadReport {
  /** Rules of all layers, highest layer first. */
  rules: Rule[];
  /** The file behind each value, by key: `model`, `env.NAME`, `permissions.defaultMode` … */
  origin: Map<string, SettingOrigin>;
  /** The repository's requests that are not granted. */
  held: HeldSetting[];
  /** Why earlier trust is ignored, if something is held. */
  trustProblem?: string;
  /** Unknown keys where a limit was meant, those that resemble one of ours, and those without effect so far. */
  unheeded: UnheededKey[];
  /** The files that were read, highest first. */
  files: string[];
}

/** Settings of the terminal app; docs/terminal.md. */
export type TerminalSettings = NonNullable<MergedSettings['terminal']>;

/** How agents run, with every default filled in; docs/agents.md. */
export type AgentSettings = FilledTable<(typeof settingsTable)['agents']['section']>;

/** Everything that settings say about MCP servers; docs/mcp.md. */
export type McpSettings = Pick<
  MergedSettings,
  | 'mcp'
  | 'mcpServers'
  | 'enabledMcpjsonServers'
  | 'disabledMcpjsonServers'
  | 'allowedMcpServers'
  | 'deniedMcpServers'
>;

export interface SettingOrigin {
  layer: SettingsLayer;
  file: string;
}

export interface HeldSetting {
  file: string;
  key: string;
  /** Whether the user's trust would activate it. */
  liftedBy: 'trust' | 'nothing';
  /** The user has trusted an earlier version of this file. */
  changed?: true;
  /** The target of a link out of the repository: nothing behind such a link is applied. */
  leadsTo?: string;
}

export type SandboxSettings = LoadedSettings['sandbox'];
