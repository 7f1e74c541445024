import { chmodSync, closeSync, constants, fstatSync, openSync } from 'node:fs';
import { holdPlace } from '../lib/hold-directory.ts';
import { codeOf } from '../lib/result.ts';

const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens a file, not a link, also one that its owner took the right to read from (`chmod 000`): that is given for the
 * moment in which it is opened. `real` is where `path` leads. Throws as the system does.
 */
export function openToRead(path: string, real = path): number {
  try {
    return openSync(path, flags | constants.O_NOFOLLOW);
  } catch (error) {
    const opened = codeOf(error) === 'EACCES' ? openAnyway(real) : undefined;
    if (opened === undefined) throw error;
    return opened;
  }
}

/** By its place, so that no other file gets permissions of this one. Without `/proc` it stays closed. */
function openAnyway(real: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const held = holdPlace(real);
  if (!held.ok) return undefined;
  try {
    const stat = fstatSync(held.value);
    const mode = stat.mode & 0o7777;
    if (!stat.isFile() || stat.uid !== process.getuid?.() || mode & 0o400) return undefined;
    const place = `/proc/self/fd/${held.value}`;
    chmodSync(place, mode | 0o400);
    try {
      return openSync(place, flags);
    } finally {
      chmodSync(place, mode);
    }
  } finally {
    closeSync(held.value);
  }
}
