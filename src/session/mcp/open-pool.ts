import type { AgentServers, LateServers } from '../../agents/agent-servers.ts';
import type { AgentDefinition } from '../../agents/definition.ts';
import { openAuthStore } from '../../mcp/auth-store.ts';
import { describeFault, readServer, type ServerConfig } from '../../mcp/config.ts';
import type { ConnectionSurroundings } from '../../mcp/connect.ts';
import { lateTool } from '../../mcp/late-tool.ts';
import type { ServerLease } from '../../mcp/leases.ts';
import { openPins } from '../../mcp/pins.ts';
import { findServerRefusal } from '../../mcp/policy.ts';
import { McpPool } from '../../mcp/pool.ts';
import type { PoolOptions } from '../../mcp/pool-options.ts';
import { resourceTools } from '../../mcp/resources.ts';
import type { ServerEntry } from '../../mcp/server-entry.ts';
import { watchServers } from '../../mcp/watch.ts';
import { matchesToolName } from '../../places/names.ts';
import type { Tool } from '../../protocol/index.ts';
import { fillSection } from '../../settings/environment.ts';
import { settingsTable } from '../../settings/table/settings.ts';
import type { WatchServer } from '../../tools/monitor/monitor-schema.ts';
import type { Kernel } from '../kernel.ts';
import { isDenied } from '../lead/tool-pool.ts';
import type { LeadPermissions } from '../permissions.ts';

export interface PoolParts extends Pick<PoolOptions, 'approve' | 'notice' | 'chosen'> {
  servers: ServerConfig[];
  permissions: LeadPermissions;
  elicit: ConnectionSurroundings['elicit'];
  startupWaitMs: number;
}

export interface OpenedPool {
  pool: McpPool;
  /** Tools that concern all servers. */
  helpers: Tool[];
  openServers(definition: AgentDefinition, pool: McpPool): AgentServers | undefined;
  watch: WatchServer;
}

/** Loaded with the first server. */
export function openPool(kernel: Kernel, parts: PoolParts): OpenedPool {
  const { servers, elicit, approve, notice, chosen } = parts;
  const { place, settings, options, environment, id: owner } = kernel;
  const { clock } = place;
  const { timeoutMs, toolTimeoutMs } = fillSection(settingsTable.mcp.section, settings.mcp, environment);
  const pool = new McpPool({
    servers,
    around: {
      ...{ clock, environment, owner, elicit },
      cwd: place.cwd,
      auth: openAuthStore(place.home, clock),
      ...(options.hostServers ? { host: options.hostServers } : {}),
    },
    pins: openPins(place.home, clock),
    settings,
    connectTimeoutMs: timeoutMs,
    toolTimeoutMs,
    ...{ approve, notice, chosen },
  });
  return {
    pool,
    helpers: resourceTools(pool),
    watch: watchServers(async () => pool, clock),
    openServers: (definition, opened) => openAgentServers(definition, opened, { kernel, ...parts }),
  };
}

/** How long an agent waits for the servers that it names or brings: it was made to use them. */
const agentWaitMs = 10_000;
/** After this the user sees a notice about what an agent waits for. */
const patienceMs = 2_000;

export interface AgentMcpParts {
  kernel: Kernel;
  permissions: LeadPermissions;
  /** How long an agent with access to all servers waits for those whose tools are not known yet. */
  startupWaitMs: number;
  notice(text: string): void;
}

/**
 * A server given by name shares the session's connection and stays open; a configuration opens one that ends with the
 * agent.
 */
export function openAgentServers(
  definition: AgentDefinition,
  pool: McpPool,
  parts: AgentMcpParts,
): AgentServers | undefined {
  const { leases, notes } = openOwn(definition, pool, parts.kernel);
  const shared = pool.entries().filter((entry) => !entry.isKnown && mayUse(definition, entry));
  if (leases.length === 0 && notes.length === 0 && shared.length === 0 && pool.names().length === 0)
    return undefined;
  const named = shared.filter((entry) => names(definition, entry));
  const missing = () => shared.filter((entry) => !entry.isKnown);
  return {
    tools: () => leases.flatMap(({ lease }) => lease.tools()),
    ready: async (signal) => {
      const own = leases.map(({ lease }) => lease.ready(agentWaitMs, signal));
      const waits = Promise.all([
        ...own,
        pool.settle(parts.startupWaitMs, shared, signal),
        pool.settle(agentWaitMs, named, signal),
      ]);
      const pending = () => [
        ...leases.flatMap(({ name, lease }) => (lease.isPending() ? [name] : [])),
        ...named.flatMap((entry) => (entry.isKnown || entry.wasSilent ? [] : [entry.name])),
      ];
      const { clock } = parts.kernel.place;
      const cancel = clock.after(patienceMs, () => {
        if (pending().length > 0)
          parts.notice(`The agent ${definition.name} is waiting for MCP server ${pending().join(', ')}.`);
      });
      await waits.finally(cancel);
    },
    notes: () => [
      ...notes,
      ...leases.flatMap(({ name, lease }) => absence(name, lease.problem())),
      ...missing().flatMap((entry) =>
        names(definition, entry) ? absence(entry.name, whyAbsent(entry)) : [],
      ),
    ],
    late: lateServers(pool, missing, (name) => isDenied(name, parts.permissions.context().rules)),
    release: async () => {
      await Promise.all(leases.map(({ lease }) => lease.release()));
    },
  };
}

function openOwn(
  definition: AgentDefinition,
  pool: McpPool,
  { environment, settings }: Kernel,
): { leases: { name: string; lease: ServerLease }[]; notes: string[] } {
  const leases: { name: string; lease: ServerLease }[] = [];
  const notes: string[] = [];
  for (const { name, config } of definition.mcpServers) {
    // Of two servers with one name, the existing one is used.
    if (pool.find(name)) continue;
    if (config === undefined) {
      notes.push(`This session has no MCP server ${name}.`);
      continue;
    }
    if (definition.source === 'project' && !definition.trusted) {
      notes.push(
        `The MCP server ${name} of this agent was not started: its file is not trusted. Run cadre trust to review it.`,
      );
      continue;
    }
    const source = definition.file ?? `the agent ${definition.name}`;
    const read = readServer(name, config, { scope: 'agent', source, environment });
    const refusal = read.ok ? findServerRefusal(read.value, settings) : describeFault(name, read.problem);
    if (read.ok && refusal === undefined) leases.push({ name, lease: pool.lease(read.value) });
    else notes.push(`The MCP server ${name} of this agent was not started: ${refusal}.`);
  }
  return { leases, notes };
}

/** Whether its definition allows any tool of the server, as far as that is clear without a list of them. */
function mayUse({ tools, disallowedTools }: AgentDefinition, { plainName }: ServerEntry): boolean {
  const prefix = `mcp__${plainName}`;
  const some = `${prefix}__?`;
  if (disallowedTools.some((pattern) => matchesToolName(pattern, some))) return false;
  return tools === '*' || tools.some((entry) => belongsTo(entry, prefix) || matchesToolName(entry, some));
}

function names({ tools, mcpServers }: AgentDefinition, { name, plainName }: ServerEntry): boolean {
  if (mcpServers.some((one) => one.name === name || one.name === plainName)) return true;
  return tools !== '*' && tools.some((entry) => belongsTo(entry, `mcp__${plainName}`));
}

function belongsTo(entry: string, prefix: string): boolean {
  return entry === prefix || entry.startsWith(`${prefix}__`);
}

function absence(name: string, problem: string | undefined): string[] {
  return problem === undefined ? [] : [`The MCP server ${name} is not available. ${problem}`];
}

export function whyAbsent({ connection }: ServerEntry): string {
  return connection.state === 'pending' ? 'It has not answered yet.' : (connection.reason ?? '');
}

function lateServers(
  pool: McpPool,
  missing: () => ServerEntry[],
  isRefused: (name: string) => boolean,
): LateServers {
  const allowed = (tools: readonly Tool[]) => tools.filter(({ name }) => !isRefused(name));
  return {
    isAny: () => missing().length > 0 && !isRefused('McpCall'),
    tool: (mine) => lateTool(pool, missing(), (tools) => mine(allowed(tools))) as Tool,
    tools: () => allowed(pool.tools()),
  };
}
