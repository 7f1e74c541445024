import type { CommandEntry } from '../knowledge/command-source.ts';
import type { PermissionMode } from '../protocol/index.ts';
import type { TerminalSettings } from '../settings/loaded.ts';
import { backgroundWaitMs } from './background-wait.ts';
import type { SessionPorts } from './features.ts';
import type { Kernel } from './kernel.ts';

/** What a surface shows before the first event. */
export interface SessionInfo {
  id: string;
  cwd: string;
  model: string;
  /** Of the model: tokens of context, input and output together. */
  contextWindow: number;
  permissionMode: PermissionMode;
  tools: string[];
  /** The types of agents that there are. */
  agents: { name: string; description: string; model?: string }[];
  /** What a person can type behind a slash, and the skills there are. */
  commands: CommandEntry[];
  skills: string[];
  transcriptPath: string | null;
  /** `coordinator`: the session's own agent only directs workers. */
  mode: 'normal' | 'coordinator';
  /** Where the session's agents hand files to each other; null where there is none. */
  scratchpad: string | null;
  /** What the settings say of the terminal app. */
  terminal: TerminalSettings & { statusLine?: string };
  /** Whether anything may run in the background. */
  background: boolean;
  /** How long a one-shot run waits for agents in the background; 0 is without end. */
  backgroundWaitMs: number;
}

export function infoOf(kernel: Kernel, ports: SessionPorts): SessionInfo {
  const { id, place, log, settings, environment } = kernel;
  const { lead, prompts, coordinator, definitions } = ports;
  const { statusLine } = settings;
  return {
    id,
    cwd: place.cwd,
    model: lead.model,
    contextWindow: lead.contextWindow,
    permissionMode: lead.permissionMode,
    tools: lead.tools,
    agents: definitions.definitions.map(({ name, description, model }) => ({
      ...{ name, description },
      ...(model === undefined ? {} : { model }),
    })),
    commands: prompts.commands(),
    skills: [...prompts.skillNames],
    transcriptPath: log.path,
    mode: coordinator.on ? 'coordinator' : 'normal',
    scratchpad: coordinator.scratchpad ?? null,
    terminal: { ...settings.terminal, ...(statusLine ? { statusLine: statusLine.command } : {}) },
    background: definitions.settings.background,
    backgroundWaitMs: backgroundWaitMs(environment),
  };
}
