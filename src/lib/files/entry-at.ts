import { type BigIntStats, lstatSync, type Stats, statSync } from 'node:fs';
import { encodePath } from './exact-paths.ts';

// One object for all looks: there are thousands of them, and a new one takes a quarter of their time.
const ifAny = { throwIfNoEntry: false } as const;
const preciseIfAny = { bigint: true, throwIfNoEntry: false } as const;

/**
 * The entry at an exact path (`exact-paths.ts`), without following a link at its end. Undefined where there is none, where a file is in the place of a
 * directory on the way, and where this user cannot look.
 */
export function statEntry(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(typeof path === 'string' ? encodePath(path) : path, ifAny);
  } catch {
    return undefined;
  }
}

/** The same with times in nanoseconds, and numbers of files that are larger than a double holds. */
export function statEntryPrecisely(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(typeof path === 'string' ? encodePath(path) : path, preciseIfAny);
  } catch {
    return undefined;
  }
}

/** The same where a link leads. */
export function statTarget(path: string): Stats | undefined {
  try {
    return statSync(encodePath(path), ifAny);
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
