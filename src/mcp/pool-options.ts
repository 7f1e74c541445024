import type { McpSettings } from '../settings/loaded.ts';
import type { ServerConfig } from './config.ts';
import type { ConnectionSurroundings } from './connect.ts';
import type { Pins } from './pins.ts';
import type { ChangedTool } from './server-entry.ts';

/** What a pool of servers needs of the session. */
export interface PoolOptions {
  servers: readonly ServerConfig[];
  around: ConnectionSurroundings;
  pins: Pins;
  settings: McpSettings;
  connectTimeoutMs: number;
  toolTimeoutMs: number;
  /** Asks the user whether tools that are not as they were approved may be used. False where nobody is there. */
  approve(server: string, changed: readonly ChangedTool[]): Promise<boolean>;
  /** Shown to the user. */
  notice(text: string): void;
  /** Somebody chose other servers: what agents are shown may change with their next run. */
  chosen(): void;
  stateChanged?(): void;
}
