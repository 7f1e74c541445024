import type { TrustPiece } from './piece.ts';

/** For each key: it only narrows, or does so by this value, or some of its own keys do. */
interface Narrowing {
  [key: string]: true | ((value: unknown) => boolean) | Narrowing;
}

/**
 * All that takes effect without trust. Every other key counts as power, also one that this version does not know: a later
 * one may, and what it then finds trusted was shown to the user.
 */
const narrowing: Narrowing = {
  $schema: true,
  permissions: {
    ask: true,
    deny: true,
    disableBypassPermissionsMode: true,
    disableAutoMode: true,
    defaultMode: (mode) => mode === 'plan',
  },
  disabledMcpjsonServers: true,
  deniedMcpServers: true,
  sandbox: {
    network: { deniedDomains: true },
    filesystem: { denyRead: true, denyWrite: true },
  },
};

/** The power of a settings file, from its JSON; undefined where it only narrows. */
export function settingsPiece(file: string, json: unknown): TrustPiece | undefined {
  const content = powerOf(json, narrowing);
  return content === undefined ? undefined : { kind: 'settings', file, content };
}

function powerOf(value: unknown, only: Narrowing): unknown {
  if (!isRecord(value)) return value;
  const left = Object.entries(value).flatMap(([key, item]) => {
    const rule = Object.hasOwn(only, key) ? only[key] : undefined;
    if (rule === true || (typeof rule === 'function' && rule(item))) return [];
    const power = typeof rule === 'object' ? powerOf(item, rule) : item;
    return isGiven(power) ? [[key, power] as const] : [];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

function isGiven(value: unknown): boolean {
  return (
    value !== undefined && (typeof value !== 'object' || value === null || Object.keys(value).length > 0)
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
