import type { z } from 'zod';
import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import type { Tool, ToolSpec } from '../protocol/index.ts';

/** A tool's description never changes, and neither may its bytes: it is rendered once per tool value. */
const rendered = new WeakMap<Tool, ToolSpec>();

export function describeTools(tools: readonly Tool[]): ToolSpec[] {
  return tools.map(describeTool);
}

/** The same tool, described by bytes that were sent before. */
export function describeAs(tool: Tool, spec: ToolSpec): Tool {
  const same: Tool = Object.create(tool);
  rendered.set(same, spec);
  return same;
}

function describeTool(tool: Tool): ToolSpec {
  const known = rendered.get(tool);
  if (known) return known;
  const { $schema: _, ...inputSchema } = tool.schema.toJSONSchema({
    brief: true,
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => leaveOut(zodSchema, jsonSchema),
  }) as Record<string, unknown>;
  const spec = {
    name: tool.name,
    description: escapeHarnessTags(tool.description.trim()),
    inputSchema: escapeStrings(inputSchema),
  };
  rendered.set(tool, spec);
  return spec;
}

/**
 * The details that a brief form leaves out, of a zod schema: every request would pay for them, and the call itself is checked by all
 * of them. A schema that came as JSON, from a server or a user, stays as it is.
 */
function leaveOut(zodSchema: z.core.$ZodTypes, shown: z.core.JSONSchema.BaseSchema): void {
  const { def } = zodSchema._zod;
  if (def.type === 'object' && def.catchall?._zod.def.type === 'never') delete shown.additionalProperties;
  if (def.type === 'record') delete shown.propertyNames;
  if (def.type === 'number') {
    if (shown.maximum === Number.MAX_SAFE_INTEGER) delete shown.maximum;
    if (shown.minimum === 0 || shown.minimum === 1) delete shown.minimum;
  }
  if (def.type === 'array' && (shown.maxItems ?? 0) >= 50) delete shown.maxItems;
  if (def.type !== 'string') return;
  if ((shown.minLength ?? 0) <= 2) delete shown.minLength;
  delete shown.maxLength;
}

/** A schema may come from a server, so none of its text may speak as the harness. */
function escapeStrings<Value>(value: Value): Value;
function escapeStrings(value: unknown): unknown {
  if (typeof value === 'string') return escapeHarnessTags(value);
  if (Array.isArray(value)) return value.map((one) => escapeStrings(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [escapeHarnessTags(key), escapeStrings(one)]),
  );
}
