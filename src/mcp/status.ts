import type { ServerScope } from './config.ts';
import type { ServerEntry } from './server-entry.ts';

export interface ServerStatus {
  name: string;
  status: 'pending' | 'connected' | 'failed' | 'needs-auth' | 'disabled';
  scope: ServerScope;
  source: string;
  error?: string;
  serverInfo?: { name: string; version: string };
  tools: { name: string; description: string; readOnly: boolean }[];
  /** Tools that are not used because they differ from their approved definition. */
  withheld?: string[];
}

export function describeServerStatus(entry: ServerEntry): ServerStatus {
  const { connection, serverInfo, withheld } = entry;
  const { server } = entry.options;
  return {
    name: server.name,
    status: connection.state === 'closed' ? 'disabled' : connection.state,
    scope: server.scope,
    source: server.source,
    error: connection.reason,
    serverInfo: serverInfo ? { name: serverInfo.name, version: serverInfo.version } : undefined,
    tools: entry.definitions().map(({ name, description, readOnly }) => ({ name, description, readOnly })),
    withheld: withheld.length > 0 ? withheld : undefined,
  };
}
