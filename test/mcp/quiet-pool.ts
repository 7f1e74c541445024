import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { memoryAuthStore } from '../../src/mcp/auth-store.ts';
import type { ServerConfig } from '../../src/mcp/config.ts';
import { memoryPins } from '../../src/mcp/pins.ts';
import { McpPool } from '../../src/mcp/pool.ts';
import { noSettings } from '../../src/settings/merge.ts';

/** A pool that asks nobody and tells nobody, for programs that only measure. */
export function quietPool(
  servers: ServerConfig[],
  { clock = systemClock, ...timeouts }: { connectTimeoutMs: number; toolTimeoutMs: number; clock?: Clock },
): McpPool {
  return new McpPool({
    servers,
    around: {
      clock,
      cwd: import.meta.dirname,
      environment: { PATH: process.env.PATH },
      owner: `quiet-${process.pid}`,
      auth: memoryAuthStore(),
      elicit: async () => ({ action: 'decline' }),
    },
    pins: memoryPins(),
    settings: noSettings(),
    ...timeouts,
    approve: async () => false,
    notice() {},
    chosen() {},
  });
}
