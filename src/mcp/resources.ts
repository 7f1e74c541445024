import { z } from 'zod';
import { boundText, visible, visibleLine } from '../lib/text/text.ts';
import { errorResult, type Tool, type ToolContext, type ToolResult, textResult } from '../protocol/index.ts';
import { describeMissingServer } from '../tools/monitor/missing-server.ts';
import { withoutProgress } from '../tools/without-progress.ts';
import type { McpPool } from './pool.ts';
import { resourceParts } from './results.ts';
import type { ServerEntry } from './server-entry.ts';

const listSchema = z.strictObject({ server: z.string().optional().describe('List only this server') });
const readSchema = z.strictObject({ server: z.string(), uri: z.string() });
const maxListed = 500;

/** The tools for resources of servers. */
export function resourceTools(pool: McpPool): Tool[] {
  return [listTool(pool) as Tool, readTool(pool) as Tool];
}

function listTool(pool: McpPool): Tool<typeof listSchema> {
  return {
    name: 'ListMcpResourcesTool',
    description: 'Lists the resources that MCP servers offer.',
    schema: listSchema,
    access: () => [{ kind: 'none' }],
    concurrent: () => true,
    summary: ({ server }) => visibleLine(server ?? 'all servers', 100),
    run: ({ server }, context) => withoutProgress(() => list(pool, server, context)),
  };
}

function readTool(pool: McpPool): Tool<typeof readSchema> {
  return {
    name: 'ReadMcpResourceTool',
    description: 'Reads a resource of an MCP server.',
    schema: readSchema,
    access: ({ server }) => [{ kind: 'mcp', server: pool.find(server)?.plainName ?? server, readOnly: true }],
    concurrent: () => true,
    summary: ({ server, uri }) => visibleLine(`${server} ${uri}`, 300),
    run: (input, context) => withoutProgress(() => read(pool, input, context)),
  };
}

async function list(pool: McpPool, server: string | undefined, context: ToolContext): Promise<ToolResult> {
  const wanted = server === undefined ? pool.entries().filter((one) => one.isKnown) : [pool.find(server)];
  if (wanted.includes(undefined)) return noServer(pool, server ?? '');
  const lists = await Promise.all(
    wanted.flatMap((entry) => (entry?.hasResources ? [listServerResources(entry, context)] : [])),
  );
  const lines = lists.flat();
  if (lines.length === 0) return textResult('No resources.');
  const cut = lines.length > maxListed ? `\n[… ${lines.length - maxListed} more]` : '';
  return textResult(lines.slice(0, maxListed).join('\n') + cut);
}

async function listServerResources(entry: ServerEntry, { signal }: ToolContext): Promise<string[]> {
  const listed = await entry.connection.use(
    (live, inner) => live.client.listResources({}, { signal: inner }),
    {
      signal,
    },
  );
  if (!listed.ok) return [listed.problem];
  return listed.value.resources.map(({ uri, name, mimeType, description }) => {
    const kind = mimeType === undefined ? '' : ` (${mimeType})`;
    return visibleLine(`${entry.name} ${uri} ${name}${kind}${description ? `: ${description}` : ''}`, 400);
  });
}

async function read(
  pool: McpPool,
  input: z.output<typeof readSchema>,
  context: ToolContext,
): Promise<ToolResult> {
  const entry = pool.find(input.server);
  if (!entry) return noServer(pool, input.server);
  const got = await entry.connection.use(
    (live, signal) => live.client.readResource({ uri: input.uri }, { signal }),
    context,
  );
  if (!got.ok) return errorResult(boundText(visible(got.problem), 2_000));
  const content = resourceParts(got.value.contents, context);
  return content.length === 0 ? textResult('(empty)') : { content, isError: false };
}

function noServer(pool: McpPool, name: string): ToolResult {
  return errorResult(describeMissingServer(name, pool.names()));
}
