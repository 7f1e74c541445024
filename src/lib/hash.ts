import { createRequire } from 'node:module';

/** SHA-256 of bytes that come in pieces. */
export interface Hash {
  update(bytes: Uint8Array | string): void;
  /** In hexadecimal. Called once. */
  digest(): string;
}

/** Bun's own hash, since its `node:crypto` takes longer to load than our whole start; Node's on Node. */
export function openHash(): Hash {
  return open('sha256');
}

function open(algorithm: 'sha256' | 'sha1'): Hash {
  return typeof Bun === 'undefined' ? nodeHash(algorithm) : bunHash(algorithm);
}

function bunHash(algorithm: 'sha256' | 'sha1'): Hash {
  const hash = new Bun.CryptoHasher(algorithm);
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') };
}

function nodeHash(algorithm: 'sha256' | 'sha1'): Hash {
  const { createHash } = createRequire(import.meta.url)('node:crypto') as typeof import('node:crypto');
  const hash = createHash(algorithm);
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') };
}

/** SHA-256, in hexadecimal. A string is hashed as UTF-8. */
export function hashBytes(data: Uint8Array | string): string {
  const hash = openHash();
  hash.update(data);
  return hash.digest();
}

/** The id that git gives a file's content. */
export function hashGitBlob(bytes: Uint8Array): string {
  const hash = openGitBlobHash(bytes.length);
  hash.update(bytes);
  return hash.digest();
}

/** The same for content of this size that comes in pieces. */
export function openGitBlobHash(size: number): Hash {
  const hash = open('sha1');
  hash.update(`blob ${size}\0`);
  return hash;
}

/** HMAC-SHA-256, in hexadecimal. Key and text are taken as UTF-8. */
export function signText(key: string, text: string): string {
  if (typeof Bun !== 'undefined') return new Bun.CryptoHasher('sha256', key).update(text).digest('hex');
  const { createHmac } = createRequire(import.meta.url)('node:crypto') as typeof import('node:crypto');
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Whether two digests are equal. The time it takes does not say how far they agree. */
export function isSameDigest(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
