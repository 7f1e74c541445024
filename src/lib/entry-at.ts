import { type BigIntStats, lstatSync, type Stats } from 'node:fs';

// One object for all looks: there are thousands of them, and a new one takes a quarter of their time.
const ifAny = { throwIfNoEntry: false } as const;
const preciseIfAny = { bigint: true, throwIfNoEntry: false } as const;

/**
 * The entry at a path, without following a link at its end. Undefined where there is none, where a file is in the place of a
 * directory on the way, and where this user cannot look.
 */
export function entryAt(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path, ifAny);
  } catch {
    return undefined;
  }
}

/** The same with times in nanoseconds, and numbers of files that are larger than a double holds. */
export function preciseEntryAt(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, preciseIfAny);
  } catch {
    return undefined;
  }
}

/** Whether there is nothing, which one look tells. What cannot be looked at may exist. */
export function isMissing(path: string): boolean {
  try {
    return lstatSync(path, ifAny) === undefined;
  } catch {
    return false;
  }
}
