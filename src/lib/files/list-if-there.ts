import { getErrorCode } from '../result.ts';
import { type Told, untold } from '../told.ts';
import { type DirectoryEntry, listEntries, readdirSync } from './exact-files.ts';

// What could not be read (no access, too many open files, a broken disk) must not look like nothing: each caller says what
// the unknown means.

/** Of a missing directory: none. */
export function listNames(directory: string): Told<string[]> {
  return readIfThere(() => readdirSync(directory));
}

/** The same with the type of each. */
export function readEntries(directory: string): Told<DirectoryEntry[]> {
  return readIfThere(() => listEntries(directory));
}

function readIfThere<T>(read: () => T[]): Told<T[]> {
  try {
    return read();
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(getErrorCode(error) ?? '') ? [] : untold;
  }
}
