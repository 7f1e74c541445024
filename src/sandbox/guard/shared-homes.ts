import { readlinkSync, rmSync, symlinkSync } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { hashBytes } from '../../lib/hash.ts';
import { KnownNames } from './known-names.ts';
import { isBelow, statEntry } from './look.ts';

/**
 * One user can run sessions with several directories for Cadre's state (`HOME`, `CADRE_HOME`), in the same workspace at the
 * same time. Each directory is noted in a place that all of them find: then their commands share one baseline. No command
 * reaches that place, because the sandbox has its own `/tmp` and no `/run`.
 *
 * A user may have many, and they are looked into several times for each command: what has not changed is not read again.
 */
export class SharedHomes {
  readonly #names = new KnownNames();
  #noted: { names: readonly string[]; homes: readonly string[] } | undefined;

  constructor(private readonly home: string) {}

  /** The paths in a folder of each of them. `roots`: where a command can write. */
  listFolder(folder: string, roots: readonly string[]): string[] {
    return [this.home, ...this.#listOthers(roots)].flatMap((home) => {
      const directory = join(home, folder);
      const names = this.#names.in(directory);
      // Asked last, because hardly any home has something there.
      if (names.length === 0 || (home !== this.home && !isOwn(home))) return [];
      return names.map((name) => join(directory, name));
    });
  }

  /** To be called before a command is planned: from then on others take it into account. */
  note(): void {
    const place = findPlace();
    if (place === undefined) return;
    const note = join(place, hashBytes(this.home).slice(0, 16));
    if (statEntry(note)) return;
    try {
      if (ensurePrivateDirectory(place).ok && isOwn(place)) symlinkSync(this.home, note);
    } catch {
      // Another process was first, or the disk is full: then the homes do not know each other.
    }
  }

  /** Where a command could write the notes, they prove nothing. */
  #listOthers(roots: readonly string[]): readonly string[] {
    const place = findPlace();
    if (place === undefined || roots.some((root) => isBelow(place, root))) return [];
    const names = this.#names.in(place);
    // A note is a link, which nobody can change in place.
    if (this.#noted?.names !== names)
      this.#noted = { names, homes: names.flatMap((name) => readNote(join(place, name), this.home)) };
    return this.#noted.homes;
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
    if (statEntry(home) !== undefined) return [home];
    // It was removed: nothing runs there any more.
    rmSync(note, { force: true });
  } catch {
    // Removed meanwhile.
  }
  return [];
}
