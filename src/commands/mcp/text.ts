import { visible, visibleLine } from '../../lib/text/text.ts';
import type { ServerConfig } from '../../mcp/config.ts';
import type { FoundServers } from '../../mcp/find-servers.ts';
import type { ChangedTool } from '../../mcp/server-entry.ts';
import type { ServerStatus } from '../../mcp/status.ts';

/** How a server is reached, on one line and without anything that may be secret. */
function formatTransport({ transport }: ServerConfig): string {
  if (transport.type === 'stdio') return visibleLine([transport.command, ...transport.args].join(' '), 200);
  return transport.type === 'host'
    ? 'run by the host'
    : `${transport.type} ${visibleLine(transport.url, 200)}`;
}

export function renderList({ servers, left, problems }: FoundServers): string {
  const rows = servers.map((server) => `${server.name}  (${server.scope})  ${formatTransport(server)}`);
  const out = left.map(({ name, reason }) => `${visibleLine(name, 80)}  not started: ${reason}`);
  const broken = problems.map((problem) => `broken: ${visibleLine(problem, 500)}`);
  const lines = [...rows, ...out, ...broken];
  return lines.length === 0
    ? 'No MCP servers are configured. Add one: cadre mcp add NAME -- COMMAND\n'
    : `${lines.join('\n')}\n`;
}

/** Environment and headers are left out: they may hold secrets. */
export function listAsData({ servers, left, problems }: FoundServers): object {
  return {
    servers: servers.map((server) => ({
      name: server.name,
      scope: server.scope,
      source: server.source,
      type: server.transport.type,
      ...(server.transport.type === 'stdio'
        ? { command: server.transport.command, args: server.transport.args }
        : 'url' in server.transport
          ? { url: server.transport.url }
          : {}),
    })),
    notStarted: left,
    problems,
  };
}

export function renderStatus(status: ServerStatus): string {
  const info = status.serverInfo
    ? `, ${visibleLine(`${status.serverInfo.name} ${status.serverInfo.version}`, 100)}`
    : '';
  const head = `${status.name}: ${status.status}${info}`;
  if (status.status !== 'connected') return `${head}\n${visible(status.error ?? '')}\n`;
  const tools = status.tools.map(
    (tool) =>
      `  ${visibleLine(tool.name, 80)}${tool.readOnly ? ' (read-only)' : ''}  ${visibleLine(tool.description, 100)}`,
  );
  return `${[`${head}, ${tools.length} tools`, ...tools].join('\n')}\n`;
}

/** Everything the question is about, whole. */
export function renderChanges(changed: readonly ChangedTool[]): string {
  return changed
    .map(({ name, before, after }) => {
      const now = `now:    ${visible(after.description)}\n        ${JSON.stringify(after.inputSchema)}${after.readOnly ? ' read-only' : ''}`;
      const was = before
        ? `before: ${visible(before.description)}\n        ${JSON.stringify(before.inputSchema)}${before.readOnly ? ' read-only' : ''}`
        : 'before: missing, or no longer stored';
      return `${visibleLine(name, 100)}\n${was}\n${now}\n`;
    })
    .join('\n');
}
