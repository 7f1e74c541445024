import { z } from 'zod';

const maxTimeoutMs = 1_800_000;

export const monitorSchema = z
  .strictObject({
    description: z.string().min(1),
    command: z.string().min(1).optional(),
    server: z.string().min(1).optional(),
    uri: z.string().min(1).optional(),
    timeout_ms: z.int().min(1).max(maxTimeoutMs).optional().describe('Default 300000'),
  })
  .refine((input) => (input.command === undefined) !== (input.server === undefined), {
    message: 'give either command or server',
  })
  .refine((input) => input.uri === undefined || input.server !== undefined, {
    message: 'uri can only be used with server',
  });

export type MonitorInput = z.output<typeof monitorSchema>;

/** Watches an MCP server: calls `event` for each, until the signal fires. Resolves with why it ended, if it ended on its own. */
export type WatchServer = (
  wanted: { server: string; uri?: string },
  event: (text: string) => void,
  signal: AbortSignal,
) => Promise<string | undefined>;

/** The session's MCP servers, if there are any. */
export interface WatchedServers {
  watch?: WatchServer | undefined;
  /** The server's name in rules; undefined if there is none. */
  plainName?(server: string): string | undefined;
  names?(): readonly string[];
}
