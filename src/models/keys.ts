import { join } from 'node:path';
import { isRecord } from '../lib/fields/field-values.ts';
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
      const usable = checkKey(trimmed, `The key for ${provider}`);
      if (!usable.ok) return usable;
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

/** A header holds nothing else. What does not show is named by its code, never the key itself. */
export function checkKey(key: string, name: string): Result<void> {
  if (key === '') return usage(`${name} is empty.`, 'Paste it again.');
  if (/^(["'`]).*\1$/s.test(key))
    return usage(`${name} is in quotes, which are not part of a key.`, 'Set it without the quotes.');
  const strange = /[^\x21-\x7e]/u.exec(key)?.[0];
  if (strange === undefined) return ok(undefined);
  const code = (strange.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return usage(
    `${name} contains an invalid character (U+${code}) at position ${key.indexOf(strange) + 1}.`,
    'Copy the key again, without spaces, line breaks or invisible characters.',
  );
}

function readKeyFile(path: string): Result<Record<string, string>> {
  const read = readBounded(path, maxBytes);
  if (read.state === 'missing') return ok({});
  if (read.state !== 'read') {
    const problem = describeUnread(read, path, maxBytes);
    // What is there is no file of keys; a disk that fails is another matter.
    return fail(read.error === undefined ? { ...problem, kind: 'usage' } : problem);
  }
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
  const isKey = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';
  const entries = isRecord(value) ? Object.entries(value) : undefined;
  if (!entries?.every(isKey)) {
    // The content is not shown: it holds keys.
    return usage(`${path} is not a JSON object of keys.`, 'Fix it, or delete it and enter the keys again.');
  }
  return ok(Object.fromEntries(entries));
}
