import { closeSync, readSync } from 'node:fs';
import { openReal } from '../lib/files/open-real.ts';
import type { RealPath } from '../lib/files/real-places.ts';
import { openHash } from '../lib/hash.ts';

const piece = 256 * 1024;

/** SHA-256 of a regular file's bytes, read in pieces; null where none can be read. Follows no link. */
export function hashFile(real: RealPath): string | null {
  const found = openReal(real);
  const descriptor = found.state === 'found' ? found.value.descriptor : undefined;
  if (descriptor === undefined) return null;
  try {
    return hashOpen(descriptor);
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}

function hashOpen(descriptor: number): string {
  const hash = openHash();
  const bytes = new Uint8Array(piece);
  for (;;) {
    const length = readSync(descriptor, bytes, 0, piece, null);
    if (length === 0) return hash.digest();
    hash.update(bytes.subarray(0, length));
  }
}
