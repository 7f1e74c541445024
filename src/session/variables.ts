import { isOn } from '../lib/switch.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A whole number, as environment variables give one; undefined for anything else. */
export function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** A time to wait; none at all is no time. */
export function millisecondsOf(text: string | undefined): number | undefined {
  return countOf(text) || undefined;
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
  fits: (text) => millisecondsOf(text) !== undefined,
};

const expected: Readonly<Record<string, Expected>> = {
  CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH: {
    what: '1, 2 or 3; another number counts as the nearest of these, and anything else is ignored',
    fits: (text) => /^[123]$/.test(text),
  },
  CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: {
    what: 'a whole number from 1; 0 counts as 1, and anything else is ignored',
    fits: (text) => (countOf(text) ?? 0) > 0,
  },
  CADRE_AUTO_BACKGROUND_TASKS: {
    what: 'on, off or seconds; anything else counts as off',
    fits: (text) => isOn(text) || countOf(text) !== undefined || /^(?:off|no|false)$/i.test(text),
  },
  MCP_TIMEOUT: waits,
  MCP_TOOL_TIMEOUT: waits,
  CADRE_MCP_STARTUP_WAIT_MS: {
    what: 'milliseconds, such as 200; it is ignored',
    fits: (text) => countOf(text) !== undefined,
  },
};
