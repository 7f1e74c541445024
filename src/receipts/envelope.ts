import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import { fail, formatError, ok, type Result, usage } from '../lib/result.ts';

/** A DSSE envelope: a payload with signatures over its type and its bytes. */
export interface Envelope {
  payloadType: string;
  /** Base64. */
  payload: string;
  signatures: { keyid: string; sig: string }[];
}

export const statementMediaType = 'application/vnd.in-toto+json';

/** DSSE's pre-authentication encoding: the bytes that are signed. Lengths are in bytes. */
export function encodeForSigning(payloadType: string, payload: Uint8Array): Buffer {
  const type = Buffer.from(payloadType);
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${type.length} `),
    type,
    Buffer.from(` ${payload.length} `),
    payload,
  ]);
}

/** Without a key the envelope has no signature, and says so to whoever verifies it. */
export function seal(payload: string, key: KeyObject | undefined): Envelope {
  const bytes = Buffer.from(payload);
  const signatures = key
    ? [{ keyid: nameKey(key), sig: signBytes(encodeForSigning(statementMediaType, bytes), key) }]
    : [];
  return { payloadType: statementMediaType, payload: bytes.toString('base64'), signatures };
}

/** The payload, if one of the signatures is this key's. */
export function openEnvelope(envelope: Envelope, key: KeyObject): Result<string> {
  const bytes = Buffer.from(envelope.payload, 'base64');
  const signed = encodeForSigning(envelope.payloadType, bytes);
  if (envelope.signatures.length === 0) return fail({ kind: 'failure', message: 'It is not signed.' });
  const isSigned = envelope.signatures.some(({ sig }) => isSignature(signed, sig, key));
  if (!isSigned) return fail({ kind: 'failure', message: 'No signature in it matches this key.' });
  return ok(bytes.toString('utf8'));
}

function signBytes(bytes: Uint8Array, key: KeyObject): string {
  return sign(chooseDigest(key), bytes, key).toString('base64');
}

function isSignature(bytes: Uint8Array, signature: string, key: KeyObject): boolean {
  try {
    return verify(chooseDigest(key), bytes, key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

/** The Edwards curves have their own; ECDSA signatures are DER, RSA ones PKCS #1 v1.5, as openssl's. */
function chooseDigest({ asymmetricKeyType }: KeyObject): 'sha256' | null {
  return asymmetricKeyType === 'ed25519' || asymmetricKeyType === 'ed448' ? null : 'sha256';
}

/** SHA-256 of the public key, in its DER form. */
export function nameKey(key: KeyObject): string {
  const open = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(open.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

const maxKeyBytes = 64 * 1024;
const usable: readonly (string | undefined)[] = ['ed25519', 'ed448', 'ec', 'rsa'];

/** Reads a private key to sign with, or a public one to verify with. */
export function readKey(path: string, wanted: 'private' | 'public'): Result<KeyObject> {
  const text = readBoundedText(path, maxKeyBytes);
  if (text === undefined)
    return usage(`Cannot read the key ${path}.`, 'Expected a PEM file that you can read.');
  if (text.includes('BEGIN OPENSSH PRIVATE KEY') || /^(?:ssh-|ecdsa-sha2-)/.test(text))
    return usage(
      `${path} is an OpenSSH key, which cannot be used here.`,
      'Give a PEM key. `openssl genpkey -algorithm ed25519 -out key.pem` makes one; an RSA or ECDSA key is converted in a copy by `ssh-keygen -p -m PKCS8 -f COPY`.',
    );
  if (text.includes('ENCRYPTED'))
    return usage(
      `${path} is encrypted with a passphrase.`,
      'Decrypt it for the moment: `openssl pkey -in KEY -out PLAIN`.',
    );
  try {
    const key = wanted === 'private' ? createPrivateKey(text) : createPublicKey(text);
    if (usable.includes(key.asymmetricKeyType)) return ok(key);
    return usage(`${path} is a key of type ${key.asymmetricKeyType}. Expected Ed25519, ECDSA or RSA.`);
  } catch (error) {
    return usage(`${path} is not a ${wanted} key in PEM form: ${formatError(error)}`);
  }
}
