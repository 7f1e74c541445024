import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { TaskHandle } from '../../protocol/task.ts';
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
  servers: WatchedServers,
): Promise<ToolResult> {
  const begun = await beginMonitor(input, context, servers);
  if (!begun.ok) return errorResult(begun.problem.message);
  const task = begun.value;
  const timeoutMs = input.timeout_ms ?? defaultTimeoutMs;
  return textResult(
    `Watching as task ${task.id} for ${Math.round(timeoutMs / 1000)} s. You will be notified of each event; all of them go to ${task.outputFile}.`,
    { taskId: task.id, timeoutMs, outputFile: task.outputFile },
  );
}

/** Starts the task, for a model or a program. */
export async function beginMonitor(
  input: MonitorInput,
  context: ToolContext,
  { watch, plainName, names }: WatchedServers,
): Promise<Result<TaskHandle>> {
  if (input.server !== undefined && !watch) return usage('There are no MCP servers in this session.');
  if (input.server !== undefined && plainName && plainName(input.server) === undefined)
    return usage(describeMissingServer(input.server, names?.() ?? []));
  if (input.command?.includes('\0')) return usage('A command cannot contain a NUL character.');
  const { startMonitor } = await import('./monitor-run.ts');
  return ok(startMonitor(input, input.timeout_ms ?? defaultTimeoutMs, context, watch));
}
