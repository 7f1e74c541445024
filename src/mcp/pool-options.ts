import type { McpSettings } from '../settings/loaded.ts';
import type { ServerConfig } from './config.ts';
import type { ConnectionSurroundings } from './connect.ts';
import type { Pins } from './pins.ts';
import type { ChangedTool } from './server-entry.ts';

/** A pool's view of the session. */
export interface PoolOptions {
  servers: readonly ServerConfig[];
  around: ConnectionSurroundings;
  pins: Pins;
  settings: McpSettings;
  connectTimeoutMs: number;
  toolTimeoutMs: number;
  /** Asks the user whether tools that differ from their approved definition may be used. False if there is no user. */
  approve(server: string, changed: readonly ChangedTool[]): Promise<boolean>;
  /** Shown to the user. */
  notice(text: string): void;
  /** The choice of servers changed: the tools that agents are shown may change with their next run. */
  chosen(): void;
  stateChanged?(): void;
}
