import { type AgentSettings, defaultAgentSettings } from '../agents/settings.ts';
import { isOn } from '../lib/switch.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { SessionOptions } from './options.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How agents run in this session: defaults, settings, environment, options, in this order. */
export function agentSettings(
  options: SessionOptions,
  settings: LoadedSettings,
  environment: Environment,
): AgentSettings {
  const { agents } = settings;
  const fork = readSwitch(environment, 'CADRE_FORK_SUBAGENT', 'CLAUDE_CODE_FORK_SUBAGENT');
  const backgroundOff = readSwitch(
    environment,
    'CADRE_DISABLE_BACKGROUND_TASKS',
    'CLAUDE_CODE_DISABLE_BACKGROUND_TASKS',
  );
  const auto = readAutoBackground(environment.CADRE_AUTO_BACKGROUND_TASKS);
  const model = environment.CADRE_SUBAGENT_MODEL || environment.CLAUDE_CODE_SUBAGENT_MODEL;
  const depth = parseCount(environment.CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH);
  const concurrent = parseCount(environment.CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS);
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
export function readSwitch(environment: Environment, ...names: string[]): boolean | undefined {
  const given = names.map((name) => environment[name]).find((value) => value !== undefined && value !== '');
  return given === undefined ? undefined : isOn(given);
}

/** A switch, or a number of seconds. */
function readAutoBackground(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  const seconds = parseCount(value);
  if (seconds !== undefined && seconds !== 1) return seconds;
  return isOn(value) ? defaultAgentSettings.autoBackground : 0;
}

function definedOnly<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** A whole number, as environment variables give one; undefined for anything else. */
export function parseCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** A time to wait; none at all is no time. */
export function parseMilliseconds(text: string | undefined): number | undefined {
  return parseCount(text) || undefined;
}

/** What was said about agents and MCP servers and cannot be used as it was said. */
export function variableNotices(environment: Environment): string[] {
  return Object.entries(expected).flatMap(([name, { what, fits }]) => {
    const value = environment[name];
    return value && !fits(value) ? [`${name}: expected ${what}.`] : [];
  });
}

interface Expected {
  what: string;
  fits(text: string): boolean;
}

const waits: Expected = {
  what: 'milliseconds, such as 60000; it is ignored',
  fits: (text) => parseMilliseconds(text) !== undefined,
};

const expected: Readonly<Record<string, Expected>> = {
  CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH: {
    what: '1, 2 or 3; another number counts as the nearest of these, and anything else is ignored',
    fits: (text) => /^[123]$/.test(text),
  },
  CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: {
    what: 'a whole number from 1; 0 counts as 1, and anything else is ignored',
    fits: (text) => (parseCount(text) ?? 0) > 0,
  },
  CADRE_AUTO_BACKGROUND_TASKS: {
    what: 'on, off or seconds; anything else counts as off',
    fits: (text) => isOn(text) || parseCount(text) !== undefined || /^(?:off|no|false)$/i.test(text),
  },
  MCP_TIMEOUT: waits,
  MCP_TOOL_TIMEOUT: waits,
  CADRE_MCP_STARTUP_WAIT_MS: {
    what: 'milliseconds, such as 200; it is ignored',
    fits: (text) => parseCount(text) !== undefined,
  },
};

const defaultWaitMs = 600_000;
const variables = ['CADRE_PRINT_BG_WAIT_MS', 'CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS'];

/** How long a one-shot run waits for agents in the background, in milliseconds; 0 is without end. */
export function backgroundWaitMs(environment: Environment): number {
  const given = variables.map((name) => environment[name]).find((value) => value && isCount(value));
  return given === undefined ? defaultWaitMs : Number(given);
}

/** What was said about the wait and cannot be used. */
export function backgroundWaitNotices(environment: Environment): string[] {
  return variables
    .filter((name) => environment[name] && !isCount(environment[name]))
    .map((name) => `${name}: expected milliseconds, such as 60000, or 0 to wait without end; it is ignored.`);
}

function isCount(text: string): boolean {
  return /^\s*\d{1,12}\s*$/.test(text);
}
