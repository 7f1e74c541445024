import type { Answer, Elicitation } from '../protocol/index.ts';

/** The request that puts an MCP server's question to the host. */
export function elicitationRequest({ server, message, mode, schema, url, id }: Elicitation): object {
  return {
    subtype: 'elicitation',
    mcp_server_name: server,
    message,
    mode,
    url,
    elicitation_id: id,
    requested_schema: schema,
  };
}

export function elicitationAnswer(response: unknown): Answer {
  const { action, content } = (response ?? {}) as { action?: unknown; content?: unknown };
  if (action === 'accept') {
    const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
    return { behaviour: 'allow', input: isObject ? (content as Record<string, unknown>) : {} };
  }
  return {
    behaviour: 'deny',
    message: 'The user declined.',
    interrupt: action === 'cancel' || undefined,
  };
}
