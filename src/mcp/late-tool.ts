import { z } from 'zod';
import { visibleLine } from '../lib/text/text.ts';
import { errorResult, type Tool, type ToolContext, type ToolResult, textResult } from '../protocol/index.ts';
import { describeMissingServer } from '../tools/monitor/missing-server.ts';
import { withoutProgress } from '../tools/without-progress.ts';
import type { McpPool } from './pool.ts';
import type { ServerEntry } from './server-entry.ts';

const schema = z.strictObject({
  server: z.string().describe('Name of the server'),
  tool: z.string().optional().describe('Which of its tools to call; leave out to list them'),
  arguments: z.record(z.string(), z.unknown()).optional().describe('Input of that tool'),
});

const maxDescription = 300;

/**
 * Gives access to tools of servers that were not connected when the conversation began. The tools that a model is shown
 * must not change within a session, so these cannot join its list; a call of this tool stands for a call of theirs.
 */
export function lateTool(
  pool: McpPool,
  late: readonly ServerEntry[],
  /** Without those that the agent is denied: a tool that it cannot call is not shown to it either. */
  allowed: (tools: readonly Tool[]) => readonly Tool[],
): Tool<typeof schema> {
  return {
    name: 'McpCall',
    description: `${absence(late)} Without \`tool\`, waits for the server and lists its tools; with \`tool\`, calls that tool.`,
    schema,
    access: () => [{ kind: 'none' }],
    concurrent: () => true,
    summary: ({ server, tool }) => visibleLine(tool === undefined ? server : `${server} ${tool}`, 200),
    standsFor: ({ server, tool, arguments: input = {} }) => {
      const found = tool === undefined ? undefined : findTool(pool, server, tool);
      return found && { name: found.name, input };
    },
    run: (input, context) => withoutProgress(() => list(pool, allowed, input, context)),
  };
}

function absence(late: readonly ServerEntry[]): string {
  const isStarting = ({ connection }: ServerEntry) => connection.state === 'pending';
  const names = (entries: readonly ServerEntry[]) =>
    entries.map(({ name }) => visibleLine(name, 64)).join(', ');
  const starting = names(late.filter(isStarting));
  const failed = names(late.filter((entry) => !isStarting(entry)));
  return [
    starting === '' ? '' : `Tools of MCP servers that were still starting: ${starting}.`,
    failed === '' ? '' : `MCP servers that could not be started: ${failed}.`,
    starting === '' && failed === '' ? 'Tools of MCP servers that connected later.' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function findTool(pool: McpPool, server: string, tool: string): Tool | undefined {
  const entry = pool.find(server);
  return entry?.tools().find(({ name }) => name === tool || name === `mcp__${entry.plainName}__${tool}`);
}

async function list(
  pool: McpPool,
  allowed: (tools: readonly Tool[]) => readonly Tool[],
  input: z.output<typeof schema>,
  context: ToolContext,
): Promise<ToolResult> {
  const entry = pool.find(input.server);
  if (!entry) return errorResult(describeMissingServer(input.server, pool.names()));
  const used = await entry.connection.use(async () => entry.tools(), { signal: context.signal });
  if (!used.ok) return errorResult(used.problem);
  const mine = allowed(used.value);
  const wanted = input.tool === undefined ? undefined : findTool(pool, input.server, input.tool);
  if (input.tool !== undefined && (!wanted || !mine.includes(wanted)))
    return errorResult(`${entry.name} has no tool ${visibleLine(input.tool, 100)}. ${listing(mine)}`);
  return textResult(
    wanted === undefined ? listing(mine) : `${entry.name} is connected now. Call again. ${listing(mine)}`,
  );
}

function listing(tools: readonly Tool[]): string {
  if (tools.length === 0) return 'It has no tools.';
  return tools
    .map((tool) => {
      const { $schema: _, ...input } = tool.schema.toJSONSchema({ io: 'input' }) as Record<string, unknown>;
      return `${tool.name}: ${visibleLine(tool.description, maxDescription)}\n  input: ${JSON.stringify(input)}`;
    })
    .join('\n');
}
