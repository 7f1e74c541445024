import { keepDefined } from '../lib/fields/keep-defined.ts';
import { fillSection } from '../settings/environment.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { AgentSettings } from '../settings/loaded.ts';
import { agents } from '../settings/table/agents.ts';
import type { SessionOptions } from './options.ts';

/** How agents run in this session. Precedence: options, then the environment, then settings, then defaults. */
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
