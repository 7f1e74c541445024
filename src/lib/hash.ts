import { createHash } from 'node:crypto';

/** SHA-256, in hexadecimal. A text is hashed as UTF-8. */
export function hashBytes(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}
