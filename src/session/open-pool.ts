import type { AgentServers } from '../agents/agent-servers.ts';
import type { AgentDefinition } from '../agents/definition.ts';
import { openAuthStore } from '../mcp/auth-store.ts';
import { describeFault, readServer } from '../mcp/config.ts';
import type { ConnectionSurroundings } from '../mcp/connect.ts';
import type { ServerLease } from '../mcp/leases.ts';
import { openPins } from '../mcp/pins.ts';
import { refusalOf } from '../mcp/policy.ts';
import { McpPool } from '../mcp/pool.ts';
import { defaultConnectTimeoutMs, defaultToolTimeoutMs, type PoolOptions } from '../mcp/pool-options.ts';
import { resourceTools } from '../mcp/resources.ts';
import { watchServers } from '../mcp/watch.ts';
import type { Tool } from '../protocol/index.ts';
import type { WatchServer } from '../tools/monitor-schema.ts';
import type { Settled } from './settled.ts';

export interface PoolWiring extends Pick<PoolOptions, 'approve' | 'notice' | 'chosen'> {
  settled: Settled;
  environment: Readonly<Record<string, string>>;
  owner: string;
  elicit: ConnectionSurroundings['elicit'];
}

export interface OpenedPool {
  pool: McpPool;
  /** Tools that are about all servers. */
  helpers: Tool[];
  openServers(definition: AgentDefinition, pool: McpPool): AgentServers | undefined;
  watch: WatchServer;
}

/** How long an agent waits for the servers that it brings along: they are what it is for. */
const agentWaitMs = 10_000;

/** Loaded with the first server. */
export function openPool(wiring: PoolWiring): OpenedPool {
  const { settled, environment, owner, elicit, approve, notice, chosen } = wiring;
  const { around, settings, options, mcp } = settled;
  const { clock } = around;
  const pool = new McpPool({
    servers: mcp.servers,
    around: {
      ...{ clock, environment, owner, elicit },
      cwd: around.cwd,
      auth: openAuthStore(around.home, clock),
      ...(options.hostServers ? { host: options.hostServers } : {}),
    },
    pins: openPins(around.home, clock),
    settings: settings.mcp,
    connectTimeoutMs: msOf(environment.MCP_TIMEOUT) ?? settings.mcp.timeoutMs ?? defaultConnectTimeoutMs,
    toolTimeoutMs: msOf(environment.MCP_TOOL_TIMEOUT) ?? settings.mcp.toolTimeoutMs ?? defaultToolTimeoutMs,
    ...{ approve, notice, chosen },
  });
  return {
    pool,
    helpers: resourceTools(pool),
    watch: watchServers(async () => pool, clock),
    openServers: (definition, opened) => openServers(definition, opened, wiring),
  };
}

function msOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}

/** By name an agent shares the session's connection and leaves it open; a configuration opens one that ends with it. */
function openServers(
  definition: AgentDefinition,
  pool: McpPool,
  { environment, settled }: PoolWiring,
): AgentServers | undefined {
  if (definition.mcpServers.length === 0) return undefined;
  const leases: { name: string; lease: ServerLease }[] = [];
  const notes: string[] = [];
  for (const { name, config } of definition.mcpServers) {
    if (config === undefined) {
      if (!pool.find(name)) notes.push(`There is no MCP server ${name} in this session.`);
      continue;
    }
    if (definition.source === 'project' && !definition.trusted) {
      notes.push(
        `The MCP server ${name} of this agent is not started: its file is not trusted (cadre trust).`,
      );
      continue;
    }
    const source = definition.file ?? `the agent ${definition.name}`;
    const read = readServer(name, config, { scope: 'agent', source, environment });
    const refusal = read.ok ? refusalOf(read.value, settled.settings.mcp) : describeFault(name, read.problem);
    if (read.ok && refusal === undefined) leases.push({ name, lease: pool.lease(read.value) });
    else notes.push(`The MCP server ${name} of this agent is not started: ${refusal}.`);
  }
  return {
    tools: () => leases.flatMap(({ lease }) => lease.tools()),
    ready: async (signal) => {
      await Promise.all(leases.map(({ lease }) => lease.ready(agentWaitMs, signal)));
    },
    notes: () => [
      ...notes,
      ...leases.flatMap(({ name, lease }) => {
        const problem = lease.problem();
        return problem === undefined ? [] : [`The MCP server ${name} is not there. ${problem}`];
      }),
    ],
    release: async () => {
      await Promise.all(leases.map(({ lease }) => lease.release()));
    },
  };
}
