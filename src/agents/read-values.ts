import { type PermissionMode, permissionModes } from '../protocol/permission.ts';
import { type AgentMcpServer, type Effort, efforts } from './definition.ts';

// Each reads one value as a file or a program may hold it; undefined is a value that it is not.

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  return { true: true, yes: true, on: true, false: false, no: false, off: false }[value.toLowerCase()];
}

export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

/** A text with commas, or a list of texts. */
export function listOf(value: unknown): string[] | undefined {
  const items = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) return undefined;
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function recordOf(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

export function oneOf<const T extends string>(words: readonly T[]): (value: unknown) => T | undefined {
  return (value) => words.find((word) => word === value);
}

export const colors = ['red', 'blue', 'green', 'yellow', 'purple', 'orange', 'pink', 'cyan'] as const;

export function modeOf(value: unknown): PermissionMode | undefined {
  return value === 'manual' ? 'default' : permissionModes.find((mode) => mode === value);
}

export function effortOf(value: unknown): Effort | undefined {
  return efforts.find((effort) => effort === value) ?? countOf(value);
}

export function isolationOf(value: unknown): 'worktree' | 'remote' | 'none' | undefined {
  return value === false ? 'none' : oneOf(['worktree', 'remote', 'none'])(value);
}

/** Names, `{name: configuration}` in a list, or one map of them. */
export function serversOf(value: unknown): AgentMcpServer[] | undefined {
  if (isRecord(value)) return configured(value);
  const items = typeof value === 'string' ? listOf(value) : value;
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
