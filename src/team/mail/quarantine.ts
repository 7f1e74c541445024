import { join } from 'node:path';
import { isThere, writeNew } from '../../lib/files/small-files.ts';
import type { Machine } from '../../lib/machine.ts';
import { getErrorCode } from '../../lib/result.ts';
import { stateDirectories } from './box-place.ts';

/** Moves a file that is not a message out of the way, with a note of why. Returns where it is now; undefined where that failed, or another process did it. */
export function quarantine(
  box: string,
  file: string,
  reason: string,
  { disk, ids }: Machine,
): string | undefined {
  const directory = join(box, stateDirectories.quarantined);
  const wanted = join(directory, file);
  const target = isThere(wanted, disk) ? join(directory, `${ids.token(8)}-${file}`) : wanted;
  try {
    disk.rename(join(box, stateDirectories.written, file), target);
  } catch (error) {
    if (getErrorCode(error) === undefined) throw error;
    return undefined;
  }
  try {
    writeNew(`${target}.reason`, `${reason}\n`, disk);
  } catch {
    // The file itself is set aside; on a full disk its reason is only told.
  }
  return target;
}
