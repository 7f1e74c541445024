import { closeSync, constants, openSync, readlinkSync } from 'node:fs';
import { failure, messageOf, ok, type Result } from './result.ts';

export interface HeldDirectory {
  /** Leads to this very directory, whatever its old name leads to by now. */
  readonly path: string;
  close(): void;
}

/** Linux: names a place without opening it. Node has no word for it. */
const placeOnly = 0o10000000;

/**
 * Holds on to a directory, so that what is done in it is done there and nowhere else: a program that runs at the same
 * time could put a link in its place between a look and a write. `path` must be real; one that leads elsewhere by now
 * is refused. Systems without `/proc` have only the look.
 */
export function holdDirectory(path: string): Result<HeldDirectory> {
  if (process.platform !== 'linux') return ok({ path, close() {} });
  const held = holdPlace(path, constants.O_DIRECTORY);
  if (!held.ok) return held;
  return ok({ path: `/proc/self/fd/${held.value}`, close: () => closeSync(held.value) });
}

/** A descriptor of a file or directory at a real path, of no use but to name it; the caller closes it. Linux only. */
export function holdPlace(path: string, flags = 0): Result<number> {
  let descriptor: number;
  try {
    descriptor = openSync(path, placeOnly | constants.O_NOFOLLOW | flags);
  } catch (error) {
    return failure(`${path} cannot be held: ${messageOf(error)}`);
  }
  try {
    if (readlinkSync(`/proc/self/fd/${descriptor}`) === path) return ok(descriptor);
  } catch {
    // Said below.
  }
  closeSync(descriptor);
  return failure(`${path} leads elsewhere at this moment.`);
}
