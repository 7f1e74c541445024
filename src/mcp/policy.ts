import { matchesName } from '../places/name-pattern.ts';
import type { McpSettings } from '../settings/loaded.ts';
import type { ServerPattern } from '../settings/table/mcp.ts';
import type { ServerConfig } from './config.ts';

/** Why the settings exclude a server; undefined if they do not. A denial takes precedence over an allowance. */
export function findServerRefusal(server: ServerConfig, settings: McpSettings): string | undefined {
  if (settings.deniedMcpServers.some((pattern) => names(pattern, server)))
    return 'the settings deny it (deniedMcpServers)';
  // Servers of the program that drives the session are its own code.
  if (server.transport.type === 'host') return undefined;
  if (settings.allowedMcpServers && !settings.allowedMcpServers.some((pattern) => names(pattern, server)))
    return 'the settings do not allow it (allowedMcpServers)';
  return undefined;
}

/** For a server in `.mcp.json`, which must also be trusted. */
export function isSwitchedOff(name: string, settings: McpSettings): boolean {
  const { enabledMcpjsonServers: enabled, disabledMcpjsonServers: disabled } = settings;
  return disabled.includes(name) || (enabled !== undefined && !enabled.includes(name));
}

function names(
  { serverName, serverCommand, serverUrl }: ServerPattern,
  { name, transport }: ServerConfig,
): boolean {
  if (serverName !== undefined) return serverName === name;
  if (serverCommand !== undefined)
    return (
      transport.type === 'stdio' &&
      JSON.stringify([transport.command, ...transport.args]) === JSON.stringify(serverCommand)
    );
  if (serverUrl === undefined || !('url' in transport)) return false;
  return matchesName(serverUrl, transport.url);
}
