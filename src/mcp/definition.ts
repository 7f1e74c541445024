import { isRecord } from '../lib/fields/field-values.ts';
import { hashBytes } from '../lib/hash.ts';
import { boundText, visible, visibleLine } from '../lib/text/text.ts';

/** A tool as its server describes it, bounded and made visible: plain data that can be kept, compared and shown. */
export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  readOnly: boolean;
  /** The user must agree to each call, whatever is allowed. */
  asksUser: boolean;
}

export const maxTools = 500;
const maxDescription = 2_000;
const maxSchema = 100_000;
const maxName = 128;
/** No real input is nested this deep; code that walks a schema would run out of stack. */
const maxDepth = 64;

/** A string is the reason why it cannot be used. */
export function readDefinition(tool: unknown): ToolDefinition | string {
  if (!isRecord(tool) || typeof tool.name !== 'string' || tool.name === '') return 'a tool without a name';
  const shown = visible(tool.name).slice(0, maxName);
  if (tool.name.length > maxName) return `${shown}…: its name is longer than ${maxName} characters`;
  if (tool.inputSchema !== undefined && !isRecord(tool.inputSchema))
    return `${shown}: its input schema is not an object`;
  const schema = isRecord(tool.inputSchema) ? tool.inputSchema : {};
  const fault = findKeyFault(schema, maxDepth);
  if (fault !== undefined) return `${shown}: ${fault}`;
  const text = stringify(schema);
  if (text === undefined || text.length > maxSchema)
    return `${shown}: its input schema is larger than ${maxSchema} characters`;
  const annotations = isRecord(tool.annotations) ? tool.annotations : {};
  const meta = isRecord(tool._meta) ? tool._meta : {};
  return {
    name: tool.name,
    description: boundText(
      visible(typeof tool.description === 'string' ? tool.description : ''),
      maxDescription,
    ),
    inputSchema: visibleSchema({ ...schema, type: 'object' }) as Record<string, unknown>,
    readOnly: annotations.readOnlyHint === true,
    asksUser: meta['anthropic/requiresUserInteraction'] === true,
  };
}

/**
 * The hash that approval is bound to: name, description, schema, and its claim to be harmless. Computed from the text
 * as shown, so that an invisible change is not a change.
 */
export function hashDefinition(tool: ToolDefinition): string {
  const { name, description, inputSchema, readOnly, asksUser } = tool;
  return hashBytes(`cadre-mcp-tool 1\n${canonical([name, description, inputSchema, readOnly, asksUser])}`);
}

/** Keys are sent back unchanged, so invisible characters in them cannot be escaped: such a tool is refused. */
function findKeyFault(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return `its input schema is nested more than ${maxDepth} levels deep`;
  for (const [key, inner] of Object.entries(value)) {
    if (visible(key) !== key)
      return `its input schema has a name with invisible characters: ${visibleLine(key, 100)}`;
    const fault = findKeyFault(inner, depth - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** A schema contains descriptions too. Keys stay as they are: the server expects them back. */
function visibleSchema(value: unknown): unknown {
  if (typeof value === 'string') return boundText(visible(value), maxDescription);
  if (Array.isArray(value)) return value.map(visibleSchema);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visibleSchema(inner)]));
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
