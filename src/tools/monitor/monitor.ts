import { visibleLine } from '../../lib/text/text.ts';
import {
  errorResult,
  type Tool,
  type ToolContext,
  type ToolResult,
  textResult,
} from '../../protocol/tool.ts';
import { withoutProgress } from '../without-progress.ts';
import { describeMissingServer } from './missing-server.ts';
import description from './monitor.md' with { type: 'text' };
import { type MonitorInput, monitorSchema, type WatchedServers } from './monitor-schema.ts';

const defaultTimeoutMs = 300_000;
/** `servers` gives access to the session's MCP servers. */
export function monitorTool(servers: WatchedServers): Tool<typeof monitorSchema> {
  return {
    name: 'Monitor',
    description: description.trim(),
    schema: monitorSchema,
    access: ({ command, server }, cwd) =>
      command === undefined
        ? [{ kind: 'mcp', server: servers.plainName?.(server ?? '') ?? server ?? '', readOnly: true }]
        : [{ kind: 'shell', command, cwd }],
    concurrent: () => false,
    summary: ({ command, server, uri }) => visibleLine(command ?? `${server} ${uri ?? ''}`, 300),
    run: (input, context) => withoutProgress(() => start(input, context, servers)),
  };
}

async function start(
  input: MonitorInput,
  context: ToolContext,
  { watch, plainName, names }: WatchedServers,
): Promise<ToolResult> {
  if (input.server !== undefined && !watch) return errorResult('There are no MCP servers in this session.');
  if (input.server !== undefined && plainName && plainName(input.server) === undefined)
    return errorResult(describeMissingServer(input.server, names?.() ?? []));
  if (input.command?.includes('\0')) return errorResult('A command cannot contain a NUL character.');
  const { startMonitor } = await import('./monitor-run.ts');
  const timeoutMs = input.timeout_ms ?? defaultTimeoutMs;
  const task = startMonitor(input, timeoutMs, context, watch);
  return textResult(
    `Watching as task ${task.id} for ${Math.round(timeoutMs / 1000)} s. You will be notified of each event; all of them go to ${task.outputFile}.`,
    { taskId: task.id, timeoutMs, outputFile: task.outputFile },
  );
}
