import { form } from '../../lib/form/form.ts';
import type { SettingsLayer } from '../../protocol/permission.ts';
import { count, countOrNone, flag, milliseconds, readCount, text } from './checks.ts';
import { custom, list, section, single } from './merging.ts';
import type { Check, FromRepository, Merging } from './setting.ts';

/** Names a server by name, command or address. */
export interface ServerPattern {
  serverName?: string | undefined;
  serverCommand?: string[] | undefined;
  serverUrl?: string | undefined;
}

export interface ConfiguredServer {
  name: string;
  config: unknown;
  file: string;
  layer: SettingsLayer;
}

const record: Check<Record<string, unknown>> = () => form.record(form.unknown());
const strings: Check<string[]> = () => form.array(text());
const patternKeys = ['serverName', 'serverCommand', 'serverUrl'];
/** A misspelt key would leave a pattern that denies nothing. */
const pattern: Check<ServerPattern> = () =>
  form
    .looseObject({
      serverName: form.string().refine(isExact, 'the name of a server, without space around it').optional(),
      serverCommand: form.array(form.string()).min(1).optional(),
      serverUrl: form.string().refine(isAddress, 'an address, such as https://example.com/*').optional(),
    })
    .refine(
      (given) => Object.keys(given).every((key) => patternKeys.includes(key)),
      'only the keys serverName, serverCommand and serverUrl',
    )
    .refine((given) => Object.keys(given).length === 1, 'one of serverName, serverCommand and serverUrl');

function isExact(text: string): boolean {
  return text !== '' && text === text.trim();
}

/** Compared with a whole address: without a scheme, or a star in its place, it would fit none. */
function isAddress(text: string): boolean {
  return isExact(text) && /^(?:[a-z][a-z0-9+.-]*:\/\/|[^/]*\*)/i.test(text);
}

/** Highest layer first; of two with one name the first wins. Each is checked where it is used: a broken entry affects only itself. */
const servers: Merging<Record<string, unknown>, ConfiguredServer[]> = {
  start: () => [],
  add: (before, written, { place: { file, layer } }) => [
    ...before,
    ...Object.entries(written).map(([name, config]) => ({ name, config, file, layer })),
  ],
};

/** A layer that enables all servers does not limit them to a list. */
const enabled: Merging<string[], string[] | undefined> = {
  start: () => undefined,
  add: (before, written, { content }) =>
    before ?? (content.enableAllProjectMcpServers === true ? undefined : written),
};

const narrows: FromRepository<unknown> = { narrows: () => true };

/** MCP servers; docs/mcp.md. */
export const mcpSettings = {
  mcpServers: custom(record, servers, {
    about: 'MCP servers by name, as in `.mcp.json`',
    flag: '--mcp-config',
  }),
  enabledMcpjsonServers: custom(strings, enabled, {
    about: 'the only servers of `.mcp.json` files to start',
    otherwise: 'all that are trusted',
    repository: { evenEmpty: true },
  }),
  disabledMcpjsonServers: list(text, {
    about: 'servers in `.mcp.json` files to ignore',
    repository: narrows,
  }),
  enableAllProjectMcpServers: single(flag, {
    about: "`true`: the same file's `enabledMcpjsonServers` is ignored",
    usual: false,
  }),
  allowedMcpServers: single(() => form.array(pattern()), {
    about: 'the only servers that may start, each by `serverName`, `serverCommand` or `serverUrl`',
    otherwise: 'any server',
    // It narrows as well, but it must not replace the user's own list.
    repository: { refuses: () => true, quietly: true },
  }),
  deniedMcpServers: list(pattern, {
    about: 'servers that may not start, in the same form',
    repository: narrows,
  }),
  mcp: section({
    startupWaitMs: single(countOrNone, {
      about: 'milliseconds that a first request waits for servers whose tools are not known yet',
      usual: 200,
      variables: {
        names: ['CADRE_MCP_STARTUP_WAIT_MS'],
        read: readCount,
        expected: 'milliseconds, such as 200; the value is ignored',
      },
    }),
    timeoutMs: single(count, {
      about: 'milliseconds that connecting to a server may take',
      usual: 30_000,
      variables: milliseconds('MCP_TIMEOUT'),
    }),
    toolTimeoutMs: single(count, {
      about: "milliseconds that a call may take, unless the server's entry has a `timeout`",
      usual: 5 * 60_000,
      variables: milliseconds('MCP_TOOL_TIMEOUT'),
    }),
  }),
};
