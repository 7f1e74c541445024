import type { AgentSettings } from '../agents/settings.ts';
import { keepDefined } from '../lib/keep-defined.ts';
import { fillSection } from '../settings/environment.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { agents } from '../settings/table/agents.ts';
import type { SessionOptions } from './options.ts';

/** How agents run in this session: defaults, settings and environment, and the options before all of them. */
export function agentSettings(
  options: SessionOptions,
  settings: LoadedSettings,
  environment: Readonly<Record<string, string>>,
): AgentSettings {
  return {
    ...fillSection(agents.section, settings.agents, environment),
    ...keepDefined(options.agentLimits ?? {}),
  };
}
