import { join } from 'node:path';
import { parseJson } from '../lib/fields/parse-json.ts';
import { ensurePrivateDirectory, writeAtomic } from '../lib/files/atomic.ts';
import { describeUnread, readBounded } from '../lib/files/read-bounded.ts';
import { fail, ok, type Result, usage } from '../lib/result.ts';

/** Stored keys. The environment takes precedence; see `findEndpoint`. */
export interface KeyStore {
  readKey(provider: string): Result<string | undefined>;
  readKeys(): Result<Record<string, string>>;
  saveKey(provider: string, key: string): Result<void>;
  /** True when there was one. */
  removeKey(provider: string): Result<boolean>;
}

/** The keys in `<home>/keys.json`, readable by their owner only. Read once, when first needed. */
export function openKeyStore(home: string): KeyStore {
  const path = join(home, 'keys.json');
  let known: Record<string, string> | undefined;

  function readKeys(): Result<Record<string, string>> {
    if (known) return ok({ ...known });
    const read = readKeyFile(path);
    if (read.ok) known = read.value;
    return read.ok ? ok({ ...read.value }) : read;
  }

  function write(keys: Record<string, string>): Result<void> {
    const directory = ensurePrivateDirectory(home);
    if (!directory.ok) return directory;
    const written = writeAtomic(path, `${JSON.stringify(keys, null, 2)}\n`, 0o600);
    if (written.ok) known = keys;
    return written;
  }

  return {
    readKeys,
    readKey(provider) {
      const keys = readKeys();
      return keys.ok ? ok(Object.hasOwn(keys.value, provider) ? keys.value[provider] : undefined) : keys;
    },
    saveKey(provider, key) {
      const trimmed = key.trim();
      if (!/^[\x21-\x7e]+$/.test(trimmed)) {
        return usage(
          `The key for ${provider} is empty or contains spaces or control characters.`,
          'Paste it again.',
        );
      }
      const keys = readKeys();
      return keys.ok ? write({ ...keys.value, [provider]: trimmed }) : keys;
    },
    removeKey(provider) {
      const keys = readKeys();
      if (!keys.ok) return keys;
      if (!Object.hasOwn(keys.value, provider)) return ok(false);
      const { [provider]: _, ...rest } = keys.value;
      const written = write(rest);
      return written.ok ? ok(true) : written;
    },
  };
}

/** The twin that keeps nothing on disk. */
export function memoryKeyStore(initial: Record<string, string> = {}): KeyStore {
  const keys = new Map(Object.entries(initial));
  return {
    readKeys: () => ok(Object.fromEntries(keys)),
    readKey: (provider) => ok(keys.get(provider)),
    saveKey(provider, key) {
      keys.set(provider, key);
      return ok(undefined);
    },
    removeKey: (provider) => ok(keys.delete(provider)),
  };
}

function readKeyFile(path: string): Result<Record<string, string>> {
  const read = readBounded(path, maxBytes);
  if (read.state === 'missing') return ok({});
  if (read.state !== 'read') return fail(describeUnread(read, path, maxBytes));
  if ((read.stat.mode & 0o077) !== 0)
    return usage(
      `${path} contains keys and can be read by other users.`,
      `Restrict it with: chmod 600 ${path}`,
    );
  return parseKeys(read.bytes.toString('utf8'), path);
}

const maxBytes = 4 * 1024 * 1024;

function parseKeys(text: string, path: string): Result<Record<string, string>> {
  const value = parseJson(text);
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : undefined;
  if (!entries?.every(([, key]) => typeof key === 'string')) {
    // The content is not shown: it holds keys.
    return usage(`${path} is not a JSON object of keys.`, 'Fix it, or delete it and enter the keys again.');
  }
  return ok(Object.fromEntries(entries));
}
