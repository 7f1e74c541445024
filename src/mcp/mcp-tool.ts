import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Result } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import {
  type Access,
  errorResult,
  type Tool,
  type ToolContext,
  type ToolPolicy,
  type ToolProgress,
  type ToolResult,
} from '../protocol/index.ts';
import { describeHolder } from '../workspace/file-leases.ts';
import { leaseArguments } from '../workspace/lease-arguments.ts';
import type { CallOptions } from './connection.ts';
import type { ToolDefinition } from './definition.ts';
import { checkAgainst } from './json-validator.ts';
import { toToolResult } from './results.ts';

/** A tool's view of its server. */
export interface ToolServer {
  /** As rules name it. */
  readonly plainName: string;
  /** What was said about a tool when the server was named. */
  findPolicy(tool: string): ToolPolicy | undefined;
  call(
    tool: string,
    args: Record<string, unknown>,
    options: CallOptions,
  ): Promise<Result<CallToolResult, string>>;
}

/** A server's tool as a tool of ours. The schema is the server's own, as shown to the model. */
export function mcpTool(name: string, definition: ToolDefinition, server: ToolServer): Tool {
  const policy = server.findPolicy(definition.name);
  const called: Access = {
    kind: 'mcp',
    server: server.plainName,
    readOnly: definition.readOnly,
    policy,
  };
  const question: Access = { kind: 'question' };
  const accesses = definition.asksUser ? [question, ...(policy ? [called] : [])] : [called];
  return {
    name,
    description: definition.description || `A tool of the MCP server ${server.plainName}.`,
    schema: buildSchema(definition),
    access: () => accesses,
    concurrent: () => definition.readOnly,
    summary: (input) => visibleLine(JSON.stringify(input) ?? '', 300),
    run: (input, context) => run(definition, input as Record<string, unknown>, context, server),
  };
}

function buildSchema({ inputSchema }: ToolDefinition): z.ZodType {
  const { $schema: _, $id: __, id: ___, ...told } = inputSchema;
  const check = checkAgainst(inputSchema);
  return z
    .unknown()
    .superRefine((value, context) => {
      for (const { path, message } of check(value))
        context.addIssue({ code: 'custom', path: [...path], message });
    })
    .meta(told);
}

async function* run(
  { name: tool, readOnly }: ToolDefinition,
  args: Record<string, unknown>,
  context: ToolContext,
  server: ToolServer,
): AsyncGenerator<ToolProgress, ToolResult> {
  const { directory, toolUseId, leases } = context;
  const leased =
    readOnly || !leases ? undefined : leaseArguments(leases, args, { root: directory.root, toolUseId });
  if (leased && !leased.ok)
    return errorResult(
      `Not called: ${describeHolder(leased.problem.holder)} is writing ${leased.problem.path}, which this call names. Wait until that agent ends; you can still Read the file.`,
    );
  const progress = new ProgressBox();
  const called = server
    .call(tool, args, { signal: context.signal, onProgress: (one) => progress.put(one) })
    .finally(() => progress.end());
  for (let next = await progress.take(); next !== undefined; next = await progress.take())
    yield { text: next };
  const result = await called;
  const notes = leased?.value.end() ?? [];
  const told = result.ok ? await toToolResult(result.value, context) : errorResult(result.problem);
  return notes.length === 0
    ? told
    : {
        ...told,
        content: [...told.content, { type: 'text', text: notes.map((note) => `[${note}]`).join('\n') }],
      };
}

/** The newest progress report; older unread ones are dropped, so that a server cannot fill it. */
class ProgressBox {
  #newest: string | undefined;
  #ended = false;
  #wake = () => {};

  put({ progress, total, message }: Progress): void {
    const share = total === undefined ? String(progress) : `${progress}/${total}`;
    this.#newest = visibleLine(message === undefined ? share : `${share} ${message}`, 300);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async take(): Promise<string | undefined> {
    while (this.#newest === undefined && !this.#ended)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const newest = this.#newest;
    this.#newest = undefined;
    return newest;
  }
}
