import { chmodSync, closeSync, constants, fstatSync, openSync } from 'node:fs';
import { holdPlace } from '../lib/hold-directory.ts';
import { descriptorPath } from '../lib/real-places.ts';
import { codeOf } from '../lib/result.ts';

const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens the file at a real path and no other, whatever has been put on the way meanwhile; also one that its owner took the
 * right to read from (`chmod 000`): that is given for the moment in which it is opened. `path` may lead there by a
 * directory that is held. Throws as the system does.
 */
export function openToRead(path: string, real = path): number {
  // Without `/proc` a file is opened by its name, and what may not be read stays closed.
  if (process.platform !== 'linux') return openSync(path, flags | constants.O_NOFOLLOW);
  const held = holdPlace(real);
  if (!held.ok) throw new Error(held.problem.message);
  try {
    return openPlace(held.value);
  } finally {
    closeSync(held.value);
  }
}

/** By its place, so that no other file gets permissions of this one. */
function openPlace(held: number): number {
  const place = descriptorPath(held);
  try {
    return openSync(place, flags);
  } catch (error) {
    const stat = fstatSync(held);
    const mode = stat.mode & 0o7777;
    const isClosed = stat.isFile() && stat.uid === process.getuid?.() && (mode & 0o400) === 0;
    if (codeOf(error) !== 'EACCES' || !isClosed) throw error;
    chmodSync(place, mode | 0o400);
    try {
      return openSync(place, flags);
    } finally {
      chmodSync(place, mode);
    }
  }
}
