import { type BigIntStats, lstatSync, type Stats, statSync } from 'node:fs';
import { encodePath } from './exact-paths.ts';

// One object for all calls: there are thousands, and a new one would take a quarter of their time.
const ifAny = { throwIfNoEntry: false } as const;
const preciseIfAny = { bigint: true, throwIfNoEntry: false } as const;

/**
 * The entry at an exact path (`exact-paths.ts`), without following a link at its end. Undefined where none exists, where a
 * file is in the place of a directory on the way, and where this user has no access.
 */
export function statEntry(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(typeof path === 'string' ? encodePath(path) : path, ifAny);
  } catch {
    return undefined;
  }
}

/** The same with times in nanoseconds, and inode numbers larger than a double can hold. */
export function statEntryPrecisely(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(typeof path === 'string' ? encodePath(path) : path, preciseIfAny);
  } catch {
    return undefined;
  }
}

/** The same for the target of a link. */
export function statTarget(path: string): Stats | undefined {
  try {
    return statSync(encodePath(path), ifAny);
  } catch {
    return undefined;
  }
}

/** Whether nothing exists there. A path that cannot be read may exist. */
export function isMissing(path: string): boolean {
  try {
    return lstatSync(path, ifAny) === undefined;
  } catch {
    return false;
  }
}
