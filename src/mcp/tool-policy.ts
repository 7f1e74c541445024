import { isRecord } from '../lib/fields/field-values.ts';
import type { ToolPolicy } from '../protocol/permission.ts';

/**
 * What the entry of a server says about single tools: `tools: [{ name, permission_policy }]`. It only restricts. An unknown
 * word is a restriction that cannot be read, so it asks.
 */
export function readToolPolicies(tools: unknown): Record<string, ToolPolicy> | undefined {
  if (!Array.isArray(tools)) return undefined;
  const policies = tools.flatMap((entry): [string, ToolPolicy][] => {
    if (!isRecord(entry) || typeof entry.name !== 'string') return [];
    const policy = readPolicy(entry.permission_policy);
    return policy === undefined ? [] : [[entry.name, policy]];
  });
  return policies.length === 0 ? undefined : Object.fromEntries(policies);
}

function readPolicy(word: unknown): ToolPolicy | undefined {
  if (word === undefined || word === null || word === 'always_allow') return undefined;
  return word === 'always_deny' ? 'always_deny' : 'always_ask';
}
