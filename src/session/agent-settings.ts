import { type AgentSettings, defaultAgentSettings } from '../agents/settings.ts';
import { isOn } from '../lib/switch.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { SessionOptions } from './options.ts';
import { countOf } from './variables.ts';

type Environment = Readonly<Record<string, string>>;

/** How agents run in this session: defaults, settings, environment, options, in this order. */
export function agentSettings(
  options: SessionOptions,
  settings: LoadedSettings,
  environment: Environment,
): AgentSettings {
  const { agents } = settings;
  const fork = switchOf(environment, 'CADRE_FORK_SUBAGENT', 'CLAUDE_CODE_FORK_SUBAGENT');
  const backgroundOff = switchOf(
    environment,
    'CADRE_DISABLE_BACKGROUND_TASKS',
    'CLAUDE_CODE_DISABLE_BACKGROUND_TASKS',
  );
  const auto = autoBackgroundOf(environment.CADRE_AUTO_BACKGROUND_TASKS);
  const model = environment.CADRE_SUBAGENT_MODEL || environment.CLAUDE_CODE_SUBAGENT_MODEL;
  const depth = countOf(environment.CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH);
  const concurrent = countOf(environment.CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS);
  return {
    ...defaultAgentSettings,
    ...(depth === undefined ? {} : { maxDepth: Math.max(1, Math.min(depth, 3)) }),
    ...(concurrent === undefined ? {} : { maxConcurrent: Math.max(1, concurrent) }),
    ...definedOnly(agents),
    ...(fork === undefined ? {} : { fork }),
    ...(backgroundOff ? { background: false } : {}),
    ...(auto === undefined ? {} : { autoBackground: auto }),
    ...(model && model !== 'inherit' ? { model } : {}),
    ...definedOnly(options.agentLimits ?? {}),
  };
}

/** True for `1`, `true`, `yes`, `on`; undefined where nothing is said. */
export function switchOf(environment: Environment, ...names: string[]): boolean | undefined {
  const given = names.map((name) => environment[name]).find((value) => value !== undefined && value !== '');
  return given === undefined ? undefined : isOn(given);
}

/** A switch, or a number of seconds. */
function autoBackgroundOf(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  const seconds = countOf(value);
  if (seconds !== undefined && seconds !== 1) return seconds;
  return isOn(value) ? defaultAgentSettings.autoBackground : 0;
}

function definedOnly<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>;
}
