import type { AgentDefinition } from '../agents/definition.ts';
import type { AgentServices } from '../agents/services.ts';
import type { Tool } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { StructuredOutput } from '../tools/synthetic-output.ts';
import type { WorktreeRecord } from '../workspace/worktree-record.ts';
import type { Models } from './choose-model.ts';
import type { Coordination } from './coordination.ts';
import type { Identity } from './identity.ts';
import type { SessionReel } from './open-reel.ts';
import type { SessionOptions } from './options.ts';
import type { Restored } from './restore.ts';
import type { AgentChoices, Desks } from './settle-agents.ts';
import type { SettledHooks } from './settle-hooks.ts';
import type { McpChoice } from './settle-mcp.ts';
import type { LeadPermissions } from './settle-permissions.ts';
import type { Preloaded, SettledSkills } from './settle-skills.ts';
import type { SlashCommands } from './slash-commands.ts';
import type { Surroundings } from './surroundings.ts';

/** Every choice made, before anything is wired. */
export interface Settled {
  identity: Identity;
  options: SessionOptions;
  around: Surroundings;
  settings: LoadedSettings;
  restored: Restored | undefined;
  models: Models;
  permissions: LeadPermissions;
  tools: Tool[];
  /** Before the lead's own choice: what its agents choose from. */
  allTools: Tool[];
  /** What the main agent runs as, where it is not itself. */
  main: AgentDefinition | undefined;
  /** There where the lead only directs others. */
  coordination: Coordination | undefined;
  agents: AgentChoices & { bind(services: AgentServices, desks: Desks): void };
  /** The worktree that the session begins in, where it was asked for. */
  worktree: WorktreeRecord | undefined;
  skills: SettledSkills;
  preloaded: Preloaded;
  slashCommands: SlashCommands;
  hooks: SettledHooks | undefined;
  mcp: McpChoice;
  output: StructuredOutput | undefined;
  system: string[];
  notices: string[];
  reel: SessionReel | undefined;
  releaseClaim(): void;
}
