import { isRecord } from '../lib/fields/field-values.ts';
import { quote } from '../lib/shell-quote.ts';
import type { ServerConfig } from '../mcp/config.ts';
import type { HarnessCommand } from '../places/harness-command.ts';
import type { LoadedSettings } from '../settings/load.ts';

/** The commands that this session runs for its user: what they name in the workspace is not for agents to change. */
export class HarnessCommands {
  #servers: readonly ServerConfig[] = [];
  readonly #hooks = new Map<string, HarnessCommand>();

  constructor(
    private readonly settings: Pick<LoadedSettings, 'hooks' | 'statusLine' | 'worktree' | 'origin'>,
  ) {}

  /** Those that the session may start. */
  setServers(servers: readonly ServerConfig[]): void {
    this.#servers = servers;
  }

  /** Hooks that do not come from settings: of agents, skills and plugins. */
  addHooks(hooks: unknown, file: string): void {
    for (const command of listCommands(hooks)) this.#hooks.set(command, { command, by: `a hook of ${file}` });
  }

  list(): HarnessCommand[] {
    const { hooks, statusLine, worktree, origin } = this.settings;
    const named = (key: string, command: string | undefined): HarnessCommand[] => {
      const { file = 'settings' } = origin.get(key) ?? {};
      return command === undefined ? [] : [{ command, by: `${key} in ${file}` }];
    };
    const looking = (one: HarnessCommand): HarnessCommand => ({ ...one, looksForPrograms: true });
    return [
      ...hooks
        .filter(({ held }) => held === undefined)
        .flatMap(({ hooks: events, file }) =>
          Object.entries(events).flatMap(([event, value]) =>
            listCommands(value).map((command) => ({ command, by: `hooks.${event} in ${file}` })),
          ),
        ),
      ...this.#hooks.values(),
      ...named('statusLine', statusLine?.command).map(looking),
      ...named('worktree.gate', worktree.gate),
      ...this.#servers.flatMap(({ name, source, transport }) =>
        listCommands(transport).map((command) =>
          looking({ command, by: `the MCP server ${name} in ${source}` }),
        ),
      ),
    ];
  }
}

const maxDepth = 8;

/** Whatever is under the name of a command, with its arguments, in a value that was read from a file. */
function listCommands(value: unknown, depth = 0): string[] {
  if (depth > maxDepth) return [];
  if (Array.isArray(value)) return value.flatMap((one) => listCommands(one, depth + 1));
  if (!isRecord(value)) return [];
  const { command, args, headersHelper } = value;
  const words = Array.isArray(args) ? args.filter((word) => typeof word === 'string') : [];
  return [
    ...(typeof command === 'string' ? [[command, ...words.map(quote)].join(' ')] : []),
    ...(typeof headersHelper === 'string' ? [headersHelper] : []),
    ...Object.values(value).flatMap((one) => listCommands(one, depth + 1)),
  ];
}
