import { form, type OutputOf } from '../../lib/form/form.ts';

const maxTimeoutMs = 1_800_000;

export const monitorSchema = form
  .strictObject({
    description: form.string().min(1),
    command: form.string().min(1).optional(),
    server: form.string().min(1).optional(),
    uri: form.string().min(1).optional(),
    timeout_ms: form.int().min(1).max(maxTimeoutMs).optional().describe('Default 300000'),
  })
  .refine(
    (input) => (input.command === undefined) !== (input.server === undefined),
    'give either command or server',
  )
  .refine(
    (input) => input.uri === undefined || input.server !== undefined,
    'uri can only be used with server',
  );

export type MonitorInput = OutputOf<typeof monitorSchema>;

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
