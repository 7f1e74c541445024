import { matchesName } from '../places/name-pattern.ts';
import type { McpSettings } from '../settings/loaded.ts';
import type { ServerPattern } from '../settings/table/mcp.ts';
import type { ServerConfig } from './config.ts';

/** Why the settings exclude a server; undefined if they do not. A denial takes precedence over an allowance. */
export function findServerRefusal(server: ServerConfig, settings: McpSettings): string | undefined {
  if (settings.deniedMcpServers.some((pattern) => names(pattern, server, fold)))
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
  return (
    disabled.some((one) => fold(one) === fold(name)) || (enabled !== undefined && !enabled.includes(name))
  );
}

/** A denial holds in whatever case it is written, an allowance for exactly what it names. */
function fold(text: string): string {
  return text.toLowerCase();
}

function names(
  { serverName, serverCommand, serverUrl }: ServerPattern,
  { name, transport }: ServerConfig,
  plain = (text: string) => text,
): boolean {
  if (serverName !== undefined) return plain(serverName) === plain(name);
  if (serverCommand !== undefined)
    return (
      transport.type === 'stdio' &&
      JSON.stringify([transport.command, ...transport.args]) === JSON.stringify(serverCommand)
    );
  if (serverUrl === undefined || !('url' in transport)) return false;
  return matchesName(plain(serverUrl), plain(transport.url));
}
