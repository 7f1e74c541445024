import { keepDefined } from '../lib/fields/keep-defined.ts';
import { fillSection } from '../settings/environment.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { AgentSettings } from '../settings/loaded.ts';
import { agents } from '../settings/table/agents.ts';
import type { SessionOptions } from './options.ts';

type Environment = Readonly<Record<string, string | undefined>>;

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

const defaultWaitMs = 600_000;
const variables = ['CADRE_PRINT_BG_WAIT_MS', 'CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS'];

/** How long a one-shot run waits for background agents, in milliseconds; 0 waits without limit. */
export function backgroundWaitMs(environment: Environment): number {
  const given = variables.map((name) => environment[name]).find((value) => value && isCount(value));
  return given === undefined ? defaultWaitMs : Number(given);
}

/** Values for the wait that cannot be used. */
export function backgroundWaitNotices(environment: Environment): string[] {
  return variables
    .filter((name) => environment[name] && !isCount(environment[name]))
    .map(
      (name) =>
        `${name}: expected milliseconds, such as 60000, or 0 to wait without limit; the value is ignored.`,
    );
}

function isCount(text: string): boolean {
  return /^\s*\d{1,12}\s*$/.test(text);
}
