import { complain } from '../headless/complain.ts';
import type { Io } from '../headless/io.ts';
import { processIo } from '../headless/process-io.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { type KeyStore, openKeyStore } from '../models/keys.ts';
import { providerNames } from '../models/names.ts';
import { openProviderDirectory } from '../models/providers/directory.ts';
import { checkHome, checkWritableHome, lookAround } from '../session/surroundings.ts';
import { readSecret } from './read-secret.ts';

/** `cadre key set|list|remove`: keys entered once, kept in a file that only their owner can read. */
export async function manageKey(action: 'set' | 'list' | 'remove', provider?: string): Promise<number> {
  const io = processIo();
  const around = lookAround({});
  const home = action === 'list' ? checkHome(around) : checkWritableHome(around);
  const done = home.ok
    ? await act(openKeyStore(around.home), knownProviders(around.home), io, action, provider)
    : home;
  if (!done.ok) return complain(io, done.problem);
  return (await io.writeOut(`${done.value}\n`)) ? 0 : 1;
}

async function act(
  keys: KeyStore,
  known: readonly string[],
  io: Io,
  action: 'set' | 'list' | 'remove',
  provider = '',
): Promise<Result<string>> {
  if (action === 'list') return list(keys);
  if (!known.includes(provider))
    return usage(`Unknown provider "${provider}".`, `Choose one of ${known.join(', ')}.`);
  if (action === 'remove') return remove(keys, provider);
  const secret = await readSecret(io, `API key for ${provider}: `);
  if (!secret.ok) return secret;
  const saved = keys.saveKey(provider, secret.value);
  return saved.ok ? ok(`Stored the key for ${provider}.`) : saved;
}

function list(keys: KeyStore): Result<string> {
  const stored = keys.readKeys();
  if (!stored.ok) return stored;
  const names = Object.keys(stored.value);
  return ok(names.length === 0 ? 'No keys are stored.' : names.map((name) => `${name}: stored`).join('\n'));
}

function remove(keys: KeyStore, provider: string): Result<string> {
  const removed = keys.removeKey(provider);
  if (!removed.ok) return removed;
  return ok(removed.value ? `Deleted the key for ${provider}.` : `No key was stored for ${provider}.`);
}

/** An unreadable list of added providers is no reason to refuse the key of a built-in one. */
function knownProviders(home: string): string[] {
  const added = openProviderDirectory(home).list();
  return [...providerNames, ...(added.ok ? added.value.map((one) => one.name) : [])];
}
