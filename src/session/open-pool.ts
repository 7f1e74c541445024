import type { AgentServers } from '../agents/agent-servers.ts';
import type { AgentDefinition } from '../agents/definition.ts';
import { openAuthStore } from '../mcp/auth-store.ts';
import type { ConnectionSurroundings } from '../mcp/connect.ts';
import { openPins } from '../mcp/pins.ts';
import { McpPool } from '../mcp/pool.ts';
import type { PoolOptions } from '../mcp/pool-options.ts';
import { resourceTools } from '../mcp/resources.ts';
import { watchServers } from '../mcp/watch.ts';
import type { Tool } from '../protocol/index.ts';
import { fillSection } from '../settings/environment.ts';
import { settingsTable } from '../settings/table/settings.ts';
import type { WatchServer } from '../tools/monitor-schema.ts';
import { openAgentServers } from './agent-mcp.ts';
import type { Settled } from './settled.ts';

export interface PoolWiring extends Pick<PoolOptions, 'approve' | 'notice' | 'chosen'> {
  settled: Settled;
  environment: Readonly<Record<string, string>>;
  owner: string;
  elicit: ConnectionSurroundings['elicit'];
  startupWaitMs: number;
}

export interface OpenedPool {
  pool: McpPool;
  /** Tools that are about all servers. */
  helpers: Tool[];
  openServers(definition: AgentDefinition, pool: McpPool): AgentServers | undefined;
  watch: WatchServer;
}

/** Loaded with the first server. */
export function openPool(wiring: PoolWiring): OpenedPool {
  const { settled, environment, owner, elicit, approve, notice, chosen } = wiring;
  const { around, settings, options, mcp } = settled;
  const { clock } = around;
  const { timeoutMs, toolTimeoutMs } = fillSection(settingsTable.mcp.section, settings.mcp, environment);
  const pool = new McpPool({
    servers: mcp.servers,
    around: {
      ...{ clock, environment, owner, elicit },
      cwd: around.cwd,
      auth: openAuthStore(around.home, clock),
      ...(options.hostServers ? { host: options.hostServers } : {}),
    },
    pins: openPins(around.home, clock),
    settings,
    connectTimeoutMs: timeoutMs,
    toolTimeoutMs,
    ...{ approve, notice, chosen },
  });
  return {
    pool,
    helpers: resourceTools(pool),
    watch: watchServers(async () => pool, clock),
    openServers: (definition, opened) => openAgentServers(definition, opened, wiring),
  };
}
