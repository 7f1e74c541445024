import { isRecord } from '../lib/fields/field-values.ts';
import type { ServerConfig } from './config.ts';
import { readToolPolicies } from './tool-policy.ts';

const leastHostTimeoutMs = 1000;

/** A server that the host runs itself, with its settings from `initialize` or `mcp_set_servers`. */
export function readHostServer(name: string, given: unknown): ServerConfig {
  const { timeout, tools } = isRecord(given) ? given : {};
  const isTimed = typeof timeout === 'number' && Number.isFinite(timeout) && timeout >= leastHostTimeoutMs;
  return {
    name,
    transport: { type: 'host' },
    scope: 'host',
    source: 'the host',
    toolTimeoutMs: isTimed ? timeout : undefined,
    isTimeoutFixed: isTimed || undefined,
    toolPolicies: readToolPolicies(tools),
  };
}
