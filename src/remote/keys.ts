import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../lib/files/atomic.ts';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import { failure, formatError, getErrorCode, ok, type Result, usage } from '../lib/result.ts';

/** Signs the jobs that this user submits. */
export interface JobKey {
  /** `ed25519:` and the public key. It is no secret: workers are given it. */
  readonly name: string;
  sign(text: string): string;
}

const maxFile = 256 * 1024;
const prefix = 'ed25519:';
const keyForm = /^ed25519:[A-Za-z0-9_-]{43}$/;

export function isKeyName(text: string): boolean {
  return keyForm.test(text);
}

/** The user's own key, made when it is first needed. */
export function openJobKey(home: string): Result<JobKey> {
  const path = join(locateDirectory(home), 'key.pem');
  const made =
    readBoundedText(path, maxFile, { refusesLinks: true }) === undefined ? makeKey(path) : ok(undefined);
  if (!made.ok) return made;
  try {
    const key = createPrivateKey(readBoundedText(path, maxFile, { refusesLinks: true }) ?? '');
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is not an ed25519 key');
    return ok({
      name: formatKey(key),
      sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
    });
  } catch (error) {
    return failure(
      `The key ${path} that signs remote jobs cannot be read: ${formatError(error)}`,
      'Delete it to make a new one, and let the workers trust that one.',
    );
  }
}

export function isSignedBy(key: string, text: string, signature: string): boolean {
  if (!isKeyName(key)) return false;
  try {
    const publicKey = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: key.slice(prefix.length) },
      format: 'jwk',
    });
    return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    // A name of the right form that is no point of the curve.
    return false;
  }
}

/** Keys whose jobs a worker of this user accepts: his own, and those that he added. Read again for each job. */
export function readKnownKeys(home: string): Result<ReadonlySet<string>> {
  const own = openJobKey(home);
  if (!own.ok) return own;
  const lines = (readBoundedText(locateKnown(home), maxFile, { refusesLinks: true }) ?? '').split('\n');
  return ok(
    new Set([own.value.name, ...lines.map((line) => line.trim().split(/\s/)[0] ?? '').filter(isKeyName)]),
  );
}

export function trustKey(home: string, key: string, note: string): Result<void> {
  if (!isKeyName(key))
    return usage(`"${key}" is not a key.`, 'It is what "cadre worker key" prints where jobs are submitted.');
  const known = readKnownKeys(home);
  if (!known.ok || known.value.has(key)) return known.ok ? ok(undefined) : known;
  const before = readBoundedText(locateKnown(home), maxFile, { refusesLinks: true }) ?? '';
  return writeAtomic(
    locateKnown(home),
    `${before}${key}${note === '' ? '' : ` ${note.replace(/\s+/g, ' ')}`}\n`,
  );
}

function locateDirectory(home: string): string {
  return join(home, 'remote');
}

function locateKnown(home: string): string {
  return join(locateDirectory(home), 'known-keys');
}

/** Two processes may do this at once: the first one's key stays. */
function makeKey(path: string): Result<void> {
  const directory = ensurePrivateDirectory(join(path, '..'));
  if (!directory.ok) return directory;
  const { privateKey } = generateKeyPairSync('ed25519');
  const fresh = `${path}.${process.pid}.new`;
  const written = writeAtomic(fresh, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  if (!written.ok) return written;
  try {
    linkSync(fresh, path);
    return ok(undefined);
  } catch (error) {
    return getErrorCode(error) === 'EEXIST' ? ok(undefined) : failure(`${path}: ${formatError(error)}`);
  } finally {
    rmSync(fresh, { force: true });
  }
}

function formatKey(key: KeyObject): string {
  return `${prefix}${createPublicKey(key).export({ format: 'jwk' }).x}`;
}
