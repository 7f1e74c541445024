import { join } from 'node:path';
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { parseJson } from '../lib/fields/parse-json.ts';
import { ensurePrivateDirectory, writeAtomic } from '../lib/files/atomic.ts';
import { withFileLock } from '../lib/files/file-lock.ts';
import { readBounded } from '../lib/files/read-bounded.ts';
import type { Result } from '../lib/result.ts';

/** Credentials for one server. Secrets: never shown. */
export interface Authorisation {
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  discovery?: OAuthDiscoveryState;
  /** The scope for the next login, if the last one was not enough. */
  wantedScope?: string;
}

/** Tokens for servers, in `<home>/mcp-auth.json`, readable by their owner only. */
export interface AuthStore {
  read(url: string): Authorisation | undefined;
  /** Adds to the stored values; a field that is undefined is removed. */
  change(
    url: string,
    change: { [Key in keyof Authorisation]?: Authorisation[Key] | undefined },
  ): Promise<Result<void>>;
}

const format = 1;
const maxBytes = 4 * 1024 * 1024;

export function openAuthStore(home: string, clock: Clock): AuthStore {
  const path = join(home, 'mcp-auth.json');
  return {
    read: (url) => readAll(path)[formatKey(url)],
    async change(url, change) {
      const directory = ensurePrivateDirectory(home);
      if (!directory.ok) return directory;
      return withFileLock(`${path}.lock`, clock, () => {
        const all = readAll(path);
        const key = formatKey(url);
        const servers = { ...all, [key]: { ...all[key], ...change } };
        return writeAtomic(path, `${JSON.stringify({ format, servers }, null, 2)}\n`, 0o600);
      });
    },
  };
}

/** The twin that keeps nothing on disk. */
export function memoryAuthStore(): AuthStore {
  const servers = new Map<string, Authorisation>();
  return {
    read: (url) => servers.get(formatKey(url)),
    async change(url, change) {
      servers.set(formatKey(url), { ...servers.get(formatKey(url)), ...change } as Authorisation);
      return { ok: true, value: undefined };
    },
  };
}

/** Tokens belong to the server that they were issued for, whatever name it has here. */
function formatKey(url: string): string {
  return new URL(url).href;
}

function readAll(path: string): Record<string, Authorisation> {
  const read = readBounded(path, maxBytes, { refusesLinks: true });
  if (read.state !== 'read' || (read.stat.mode & 0o077) !== 0) return {};
  const json = parseJson(read.bytes.toString('utf8'));
  const servers = isRecord(json) && json.format === format && isRecord(json.servers) ? json.servers : {};
  return Object.fromEntries(
    Object.entries(servers).filter((entry): entry is [string, Authorisation] => isRecord(entry[1])),
  );
}
