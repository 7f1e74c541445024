import { renderValue } from '../../lib/fields/describe-value.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { McpPool } from '../../mcp/pool.ts';
import type { ServerStatus } from '../../mcp/status.ts';
import type { Session } from '../../session/session.ts';
import type { ControlRefusal } from './control.ts';
import type { HostCalls } from './host-calls.ts';
import type { ControlRequest } from './wire.ts';

const subtypes = ['mcp_status', 'mcp_set_servers', 'mcp_reconnect', 'mcp_toggle', 'mcp_message'];

export function isMcpRequest({ subtype }: ControlRequest['request']): boolean {
  return subtypes.includes(subtype);
}

/**
 * A host's requests about MCP servers. The reader of the host's lines must not wait for the answer: it may need lines
 * that are still to come.
 */
export async function handleMcp(
  session: Session,
  calls: HostCalls,
  request: ControlRequest['request'],
): Promise<Result<object, ControlRefusal>> {
  if (request.subtype === 'mcp_status') return ok({ mcpServers: session.mcp().status().map(wireStatus) });
  if (request.subtype === 'mcp_message') return deliver(calls, request);
  const pool = await session.mcp().openPool();
  if (request.subtype === 'mcp_set_servers') return setServers(pool, request.servers);
  const name = request.serverName ?? request.server_name;
  if (typeof name !== 'string') return fail({ error: 'serverName: expected the name of an MCP server.' });
  const done =
    request.subtype === 'mcp_reconnect'
      ? await pool.reconnect(name)
      : await pool.toggle(name, request.enabled !== false);
  return done.ok ? ok({}) : fail({ error: done.problem });
}

function deliver(
  calls: HostCalls,
  { server_name, message }: ControlRequest['request'],
): Result<object, ControlRefusal> {
  if (typeof message !== 'object' || message === null || Reflect.get(message, 'jsonrpc') !== '2.0')
    return fail({ error: 'message: expected a JSON-RPC message, with "jsonrpc": "2.0".' });
  const delivered = typeof server_name === 'string' && calls.deliver(server_name, message);
  return delivered
    ? ok({})
    : fail({ error: `The MCP server ${visibleLine(renderValue(server_name), 100)} is not connected.` });
}

async function setServers(pool: McpPool, servers: unknown): Promise<Result<object, ControlRefusal>> {
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers))
    return fail({ error: 'servers: expected an object of MCP servers by name.' });
  return ok(await pool.setServers(servers as Record<string, unknown>));
}

function wireStatus({ name, status, scope, error, serverInfo, tools }: ServerStatus): object {
  return {
    name,
    status,
    scope,
    error,
    serverInfo,
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      annotations: { readOnly: tool.readOnly },
    })),
  };
}
