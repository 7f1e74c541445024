import { isRecord, readChoice, readCountField, readListField } from '../../lib/fields/field-values.ts';
import { type Fields, fieldTable, sortFields as sortBy } from '../../lib/fields/fields.ts';
import { type Effort, efforts } from '../../protocol/effort.ts';
import { type PermissionMode, permissionModes } from '../../protocol/permission.ts';
import { type AgentMcpServer, isHostLabel } from '../definition.ts';

export {
  readBooleanField,
  readChoice,
  readCountField,
  readListField,
  readRecordField,
  readTextField,
} from '../../lib/fields/field-values.ts';

// Each function reads one value of a file or a program; undefined if the value has another type.

export const colors = ['red', 'blue', 'green', 'yellow', 'purple', 'orange', 'pink', 'cyan'] as const;

export function readMode(value: unknown): PermissionMode | undefined {
  return value === 'manual' ? 'default' : permissionModes.find((mode) => mode === value);
}

export function readEffort(value: unknown): Effort | undefined {
  return efforts.find((effort) => effort === value) ?? readCountField(value);
}

export function readIsolation(value: unknown): 'worktree' | 'remote' | 'none' | undefined {
  return value === false ? 'none' : readChoice(['worktree', 'remote', 'none'])(value);
}

export function readHost(value: unknown): string | undefined {
  return typeof value === 'string' && isHostLabel(value.trim()) ? value.trim() : undefined;
}

/** Names, `{name: configuration}` in a list, or one map of them. */
export function readServers(value: unknown): AgentMcpServer[] | undefined {
  if (isRecord(value)) return configured(value);
  const items = typeof value === 'string' ? readListField(value) : value;
  if (!Array.isArray(items)) return undefined;
  const servers = items.map((item) => {
    if (typeof item === 'string') return item.trim() === '' ? undefined : [{ name: item.trim() }];
    return isRecord(item) ? configured(item) : undefined;
  });
  return servers.some((server) => server === undefined)
    ? undefined
    : servers.flatMap((server) => server ?? []);
}

function configured(map: Record<string, unknown>): AgentMcpServer[] | undefined {
  const servers = Object.entries(map).map(([name, config]) =>
    isRecord(config) ? { name, config } : undefined,
  );
  return servers.some((server) => server === undefined)
    ? undefined
    : servers.flatMap((server) => server ?? []);
}

export type { Fields } from '../../lib/fields/fields.ts';

/** Fields of definitions under the names that users and other products give them. */
const agentFields = fieldTable(
  [
    ['name'],
    ['description'],
    ['prompt'],
    ['tools', 'allowedtools'],
    ['disallowedTools', 'deniedtools', 'excludedtools'],
    ['model'],
    ['permissionMode'],
    ['maxTurns', 'maxsteps'],
    ['background', 'runinbackground'],
    ['isolation'],
    ['host'],
    ['mcpServers'],
    ['skills'],
    ['hooks'],
    ['memory'],
    ['color', 'colour'],
    ['omitProjectMemory', 'omitclaudemd'],
    ['effort'],
    ['initialPrompt'],
    ['autoCompactWindow'],
  ],
  ['tools', 'disallowedTools', 'permissionMode', 'maxTurns'],
);

export function sortFields(data: Readonly<Record<string, unknown>>): Fields {
  return sortBy(data, agentFields);
}
