import { readlinkSync, rmSync, symlinkSync } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { hashBytes } from '../../lib/hash.ts';
import { listKnown } from '../../lib/told.ts';
import { isBelow, listNames, statEntry } from './look.ts';

/**
 * One user can run sessions with several directories for Cadre's state (`HOME`, `CADRE_HOME`), in the same workspace at the
 * same time. Each directory is noted in a place that all of them find: then their commands share one baseline. No command
 * reaches that place, because the sandbox has its own `/tmp` and no `/run`.
 */
export function listHomes(home: string, roots: readonly string[]): string[] {
  const place = findPlace();
  // Where a command could write there, its notes prove nothing.
  if (place === undefined || roots.some((root) => isBelow(place, root))) return [home];
  const others = listKnown(listNames(place)).flatMap((name) => readNote(join(place, name), home));
  return [home, ...others];
}

/** To be called before a command is planned: from then on others take it into account. */
export function noteHome(home: string): void {
  const place = findPlace();
  if (place === undefined) return;
  const note = join(place, hashBytes(home).slice(0, 16));
  if (statEntry(note)) return;
  try {
    if (ensurePrivateDirectory(place).ok && isOwn(place)) symlinkSync(home, note);
  } catch {
    // Another process was first, or the disk is full: then the homes do not know each other.
  }
}

function findPlace(): string | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  const runtime = `/run/user/${user}`;
  const place = isOwn(runtime) ? join(runtime, 'cadre-homes') : `/tmp/cadre-homes-${user}`;
  return statEntry(place) === undefined || isOwn(place) ? place : undefined;
}

/** Anyone can make a directory in `/tmp`, also one with this name. */
function isOwn(directory: string): boolean {
  const found = statEntry(directory);
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

function readNote(note: string, own: string): string[] {
  try {
    const home = readlinkSync(note);
    if (home === own) return [];
    if (isOwn(home)) return [home];
    // It was removed: nothing runs there any more.
    if (statEntry(home) === undefined) rmSync(note, { force: true });
  } catch {
    // Removed meanwhile.
  }
  return [];
}
