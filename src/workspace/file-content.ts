import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { openHash } from '../lib/hash.ts';

const piece = 256 * 1024;

/** SHA-256 of a regular file's bytes, read in pieces; null where there is none that can be read. Follows no link. */
export function hashFile(path: string): string | null {
  let descriptor: number;
  try {
    // Without blocking, since the open of a named pipe would wait for a writer.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    return fstatSync(descriptor).isFile() ? hashOpen(descriptor) : null;
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
