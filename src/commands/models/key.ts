import type { Io } from '../../headless/io.ts';
import { processIo } from '../../headless/process-io.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { type KeyStore, openKeyStore } from '../../models/keys.ts';
import { providerNames } from '../../models/names.ts';
import { openProviderDirectory } from '../../models/providers/directory.ts';
import { checkWritableHome, lookAround } from '../../session/surroundings.ts';
import { readAnswer } from '../ask/read-answer.ts';

/** `cadre key set|list|remove`: keys entered once, kept in a file that only their owner can read. */
export async function manageKey(
  action: 'set' | 'list' | 'remove',
  [provider = '']: readonly string[],
): Promise<Result<string>> {
  const around = lookAround({});
  const keys = openKeyStore(around.home);
  if (action === 'list') return list(keys);
  const home = checkWritableHome(around);
  if (!home.ok) return home;
  const known = knownProviders(around.home);
  if (!known.includes(provider))
    return usage(`Unknown provider "${provider}".`, `Choose one of ${known.join(', ')}.`);
  if (action === 'remove') return remove(keys, provider);
  const secret = await readSecret(processIo(), `API key for ${provider}: `);
  if (!secret.ok) return secret;
  const saved = keys.saveKey(provider, secret.value);
  return saved.ok ? ok(`Stored the key for ${provider}.\n`) : saved;
}

function list(keys: KeyStore): Result<string> {
  const stored = keys.readKeys();
  if (!stored.ok) return stored;
  const names = Object.keys(stored.value);
  return ok(names.length === 0 ? 'No keys are stored.\n' : names.map((name) => `${name}: stored\n`).join(''));
}

function remove(keys: KeyStore, provider: string): Result<string> {
  const removed = keys.removeKey(provider);
  if (!removed.ok) return removed;
  return ok(removed.value ? `Deleted the key for ${provider}.\n` : `No key was stored for ${provider}.\n`);
}

/** The key of a built-in provider is accepted although the list of added ones cannot be read. */
function knownProviders(home: string): string[] {
  const added = openProviderDirectory(home).list();
  return [...providerNames, ...(added.ok ? added.value.map((one) => one.name) : [])];
}

/** Reads one line without echo, from a terminal or a pipe. A secret is never an argument: other processes can see those. */
async function readSecret(io: Io, question: string): Promise<Result<string>> {
  const text = io.terminal ? await readHidden(io.terminal, question) : await readPiped(io);
  const secret = text.trim();
  if (secret === '') return usage('No key was given on stdin.', 'Type it at the prompt or pipe it in.');
  return /\s/.test(secret) ? usage('A key is one word; this one contains whitespace.') : ok(secret);
}

async function readPiped(io: Io): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.input) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function readHidden(terminal: NonNullable<Io['terminal']>, question: string): Promise<string> {
  const typed = await readAnswer(terminal, question, true);
  return typed.kind === 'line' ? typed.text : '';
}
