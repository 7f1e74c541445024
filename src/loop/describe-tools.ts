import { z } from 'zod';
import type { Tool, ToolSpec } from '../protocol/index.ts';

/** A tool's description never changes, and neither may its bytes: it is rendered once per tool value. */
const rendered = new WeakMap<Tool, ToolSpec>();

export function describeTools(tools: readonly Tool[]): ToolSpec[] {
  return tools.map(describeTool);
}

function describeTool(tool: Tool): ToolSpec {
  const known = rendered.get(tool);
  if (known) return known;
  const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.schema, { io: 'input' }) as Record<
    string,
    unknown
  >;
  const spec = { name: tool.name, description: tool.description.trim(), inputSchema };
  rendered.set(tool, spec);
  return spec;
}
