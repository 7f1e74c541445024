import type { CommandEntry } from '../../knowledge/command-source.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { openAuthStore } from '../../mcp/auth-store.ts';
import type { RemoteTransport } from '../../mcp/config.ts';
import { type ConfigPlace, type EditableScope, editServers } from '../../mcp/edit-config.ts';
import { type FoundServers, findServers } from '../../mcp/find-servers.ts';
import { logIn } from '../../mcp/login.ts';
import { openPins, type Pins } from '../../mcp/pins.ts';
import { McpPool } from '../../mcp/pool.ts';
import type { ChangedTool } from '../../mcp/server-entry.ts';
import { formatToolName, plainServer } from '../../mcp/tool-names.ts';
import { openFetch } from '../../mcp/transport/bounded-fetch.ts';
import { commandEntry } from '../../session/mcp/commands.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { fillSection } from '../../settings/environment.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { settingsTable } from '../../settings/table/settings.ts';
import { openTrust } from '../../settings/trust.ts';
import { readSettings } from '../read-settings.ts';
import { isPerson } from '../trust/repository-trust.ts';

/** The MCP servers around a directory, for managing them. Reading starts nothing. */
export interface McpAdmin {
  found: FoundServers;
  place: ConfigPlace;
  /** The servers' last known commands. */
  commands(): (CommandEntry & { server: string })[];
  edit<T>(scope: EditableScope, change: (servers: Record<string, unknown>) => Result<T>): Promise<Result<T>>;
  /** Connects to one server, and closes it when `use` is done; `notices` is what there is to report by then. */
  connect<T>(
    name: string,
    ask: Approve,
    use: (pool: McpPool, notices: readonly string[]) => Promise<T>,
  ): Promise<Result<T>>;
  logIn(
    server: RemoteTransport,
    show: (url: string) => void,
    signal: AbortSignal,
  ): Promise<Result<'already' | 'done'>>;
}

export type Approve = (changed: readonly ChangedTool[]) => Promise<boolean>;

export async function openMcpAdmin(isTrusting = false): Promise<Result<McpAdmin>> {
  const around = lookAround({});
  const trust = openTrust({ home: around.home, root: around.root, everything: isTrusting });
  const settings = await readSettings(around, { trusted: isTrusting, trust });
  if (!settings.ok) return settings;
  const sources = ['user', 'project', 'local'] as const;
  const environment = { ...around.environment, ...settings.value.env };
  const found = findServers({ ...around, environment, sources, settings: settings.value, trust });
  const place = { home: around.home, root: around.root, clock: around.clock };
  const pins = openPins(around.home, around.clock);
  return ok({
    found,
    place,
    commands: () => listCommands(found, pins),
    edit: async (scope, change) => {
      const person = checkPerson(around);
      return person.ok ? editServers(scope, place, change) : person;
    },
    connect: (name, ask, use) => connect(found, around, settings.value, environment, pins, name, ask, use),
    logIn: async (server, show, signal) => {
      const person = checkPerson(around);
      const fetch = person.ok ? openFetch(environment) : person;
      if (!fetch.ok) return fetch;
      const { clock } = around;
      const store = openAuthStore(around.home, clock);
      return logIn({ server, store, fetch: fetch.value, clock, show, signal });
    },
  });
}

async function connect<T>(
  found: FoundServers,
  around: Surroundings,
  settings: LoadedSettings,
  environment: Readonly<Record<string, string>>,
  pins: Pins,
  name: string,
  ask: Approve,
  use: (pool: McpPool, notices: readonly string[]) => Promise<T>,
): Promise<Result<T>> {
  const server = found.servers.find((one) => one.name === name);
  const broken = found.broken.find((one) => one.name === name);
  if (!server && broken) return usage(`${broken.problem}.`, 'Fix the entry first.');
  if (!server) return usage(`There is no MCP server "${name}" to start.`, whyNot(found, name));
  const { clock } = around;
  const notices: string[] = [];
  const { timeoutMs, toolTimeoutMs } = fillSection(settingsTable.mcp.section, settings.mcp, environment);
  const pool = new McpPool({
    servers: [server],
    around: {
      clock,
      environment,
      cwd: around.cwd,
      owner: `mcp-${process.pid}`,
      auth: openAuthStore(around.home, clock),
      elicit: async () => ({ action: 'decline' }),
    },
    pins,
    settings,
    connectTimeoutMs: timeoutMs,
    toolTimeoutMs,
    approve: async (_, changed) => checkPerson(around).ok && ask(changed),
    notice: (text) => void notices.push(text),
    chosen() {},
  });
  try {
    return ok(await use(pool, notices));
  } finally {
    await pool.close();
  }
}

function listCommands({ servers }: FoundServers, pins: Pins): (CommandEntry & { server: string })[] {
  const taken = new Set<string>();
  return servers.flatMap((server) => {
    const plainName = plainServer(server.name, taken);
    taken.add(plainName);
    return pins.prompts(server).map((prompt) => ({
      ...commandEntry(formatToolName(plainName, prompt.name), prompt),
      server: server.name,
    }));
  });
}

function whyNot({ left, servers }: FoundServers, name: string): string {
  const reason = left.find((one) => one.name === name)?.reason;
  if (reason) return `It is configured, but ${reason}.`;
  const names = servers.map((one) => one.name);
  return names.length > 0 ? `Available: ${names.join(', ')}.` : 'Add one with cadre mcp add.';
}

/** Only the user decides what runs and what is approved. */
function checkPerson({ environment }: Surroundings): Result<void> {
  if (isPerson(environment)) return ok(undefined);
  return usage(
    'An agent cannot change MCP servers or approve their tools.',
    'Run the command yourself in your own terminal.',
  );
}
