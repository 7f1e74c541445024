import { statEntry } from '../../lib/files/entry-at.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { hashBytes } from '../../lib/hash.ts';

/** Where the directories for Cadre's state of this user are noted. */
export function locateNotes(): string | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  const runtime = `/run/user/${user}`;
  const place = isOwnDirectory(runtime) ? join(runtime, 'cadre-homes') : `/tmp/cadre-homes-${user}`;
  return statEntry(place) === undefined || isOwnDirectory(place) ? place : undefined;
}

/** Anyone can make a directory in `/tmp`, also one with this name. */
export function isOwnDirectory(directory: string): boolean {
  const found = statEntry(directory);
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

export function nameNote(home: string): string {
  return hashBytes(home).slice(0, 16);
}

/** Whether there may be other directories than this one. */
export function hasOtherHomes(home: string): boolean {
  const place = locateNotes();
  return place !== undefined && listNames(place).some((name) => name !== nameNote(home));
}
