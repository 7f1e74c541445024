import type { AgentServers } from '../agents/agent-servers.ts';
import type { AgentDefinition } from '../agents/definition.ts';
import { openAuthStore } from '../mcp/auth-store.ts';
import type { ServerConfig } from '../mcp/config.ts';
import type { ConnectionSurroundings } from '../mcp/connect.ts';
import { openPins } from '../mcp/pins.ts';
import { McpPool } from '../mcp/pool.ts';
import { defaultConnectTimeoutMs, defaultToolTimeoutMs, type PoolOptions } from '../mcp/pool-options.ts';
import { resourceTools } from '../mcp/resources.ts';
import { watchServers } from '../mcp/watch.ts';
import type { Tool } from '../protocol/index.ts';
import type { WatchServer } from '../tools/monitor-schema.ts';
import { openAgentServers } from './agent-mcp.ts';
import type { Kernel } from './kernel.ts';
import type { LeadPermissions } from './settle-permissions.ts';
import { millisecondsOf } from './variables.ts';

export interface PoolParts extends Pick<PoolOptions, 'approve' | 'notice' | 'chosen'> {
  servers: ServerConfig[];
  permissions: LeadPermissions;
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
export function openPool(kernel: Kernel, parts: PoolParts): OpenedPool {
  const { servers, elicit, approve, notice, chosen } = parts;
  const { place, settings, options, environment, id: owner } = kernel;
  const { clock } = place;
  const pool = new McpPool({
    servers,
    around: {
      ...{ clock, environment, owner, elicit },
      cwd: place.cwd,
      auth: openAuthStore(place.home, clock),
      ...(options.hostServers ? { host: options.hostServers } : {}),
    },
    pins: openPins(place.home, clock),
    settings: settings.mcp,
    connectTimeoutMs:
      millisecondsOf(environment.MCP_TIMEOUT) ?? settings.mcp.timeoutMs ?? defaultConnectTimeoutMs,
    toolTimeoutMs:
      millisecondsOf(environment.MCP_TOOL_TIMEOUT) ?? settings.mcp.toolTimeoutMs ?? defaultToolTimeoutMs,
    ...{ approve, notice, chosen },
  });
  return {
    pool,
    helpers: resourceTools(pool),
    watch: watchServers(async () => pool, clock),
    openServers: (definition, opened) => openAgentServers(definition, opened, { kernel, ...parts }),
  };
}
