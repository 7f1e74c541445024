import type { Session } from '../session/session.ts';
import type { ContextPart } from '../session/session-views.ts';

const names: Record<ContextPart, { id: string; name: string; color: string }> = {
  system: { id: 'system_prompt', name: 'System prompt', color: 'blue' },
  memory: { id: 'memory_files', name: 'Memory files', color: 'yellow' },
  tools: { id: 'system_tools', name: 'System tools', color: 'cyan' },
  mcpTools: { id: 'mcp_tools', name: 'MCP tools', color: 'magenta' },
  messages: { id: 'messages', name: 'Messages', color: 'green' },
};

/** The answer to a host's `get_context_usage`. The picture of squares is left to the host. */
export function contextUsage(session: Session): object {
  const { model, window, used, parts } = session.context();
  return {
    categories: [
      ...parts.map(({ name, tokens }) => ({ ...names[name], tokens, kind: 'used' })),
      {
        id: 'free_space',
        name: 'Free space',
        color: 'gray',
        tokens: Math.max(0, window - used),
        kind: 'free',
      },
    ],
    totalTokens: used,
    maxTokens: window,
    rawMaxTokens: window,
    percentage: Math.round((100 * used) / window),
    gridRows: [],
    model,
    memoryFiles: [],
    mcpTools: [],
  };
}
