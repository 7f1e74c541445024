import { readlinkSync, rmSync, symlinkSync } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { untold } from '../../lib/told.ts';
import { journalFolder } from './journal.ts';
import { KnownNames } from './known-names.ts';
import { pickJournals } from './left-journals.ts';
import { isBelow, listNames, statEntry } from './look.ts';
import { isOwnDirectory, locateNotes, nameNote } from './noted-homes.ts';
import { takenFolder } from './taken.ts';

/**
 * One user can run sessions with several directories for Cadre's state (`HOME`, `CADRE_HOME`), in the same workspace at the
 * same time. Each directory is noted in a place that all of them find: then their commands share one baseline. No command
 * reaches that place, because the sandbox has its own `/tmp` and no `/run`.
 *
 * A user may have many, and they are looked into several times for each command: what has not changed is not read again, and
 * one in which nothing runs is forgotten until its next command.
 */
export class SharedHomes {
  readonly #names = new KnownNames();
  #noted: { names: readonly string[]; homes: readonly string[] } | undefined;
  #hasTidied = false;

  constructor(
    private readonly home: string,
    private readonly findPlace: () => string | undefined = locateNotes,
    private readonly now: () => number = Date.now,
  ) {}

  /** The paths in a folder of each of them. `roots`: where a command can write. */
  listFolder(folder: string, roots: readonly string[]): string[] {
    return [this.home, ...this.#listOthers(roots)].flatMap((home) => {
      const directory = join(home, folder);
      const names = this.#names.in(directory);
      // Asked last, because hardly any home has something there.
      if (names.length === 0 || (home !== this.home && !isOwnDirectory(home))) return [];
      return names.map((name) => join(directory, name));
    });
  }

  /**
   * To be called before a command is planned, from when on others take it into account, and again when its journal is written:
   * until then another process may have found that nothing runs here.
   */
  note(): void {
    const place = this.findPlace();
    if (place === undefined) return;
    noteHome(this.home, place);
    if (this.#hasTidied) return;
    this.#hasTidied = true;
    this.#forgetIdle(place);
  }

  /** What was done there matters to the commands that ran meanwhile, so it is not forgotten before they end. */
  #forgetIdle(place: string): void {
    const running = pickJournals(this.listFolder(journalFolder, [])).filter(({ isLive }) => isLive);
    const before = Math.min(this.now() - idleMs, ...running.map(({ since }) => since));
    for (const home of this.#listOthers([])) {
      const note = join(place, nameNote(home));
      const isNew = (statEntry(note)?.ctimeMs ?? 0) >= before;
      if (isNew || !isIdle(home, before)) continue;
      rmSync(note, { force: true });
      // A command may have begun there meanwhile, and found its note in place.
      if (!isIdle(home, before)) noteHome(home, place);
    }
  }

  /** Where a command could write the notes, they prove nothing. */
  #listOthers(roots: readonly string[]): readonly string[] {
    const place = this.findPlace();
    if (place === undefined || roots.some((root) => isBelow(place, root))) return [];
    const names = this.#names.in(place);
    // A note is a link, which nobody can change in place.
    if (this.#noted?.names !== names)
      this.#noted = { names, homes: names.flatMap((name) => readNote(join(place, name), this.home)) };
    return this.#noted.homes;
  }
}

const idleMs = 10 * 60_000;

/** Whether nothing runs there, and nothing was begun, ended or taken away since then. */
function isIdle(home: string, before: number): boolean {
  const folders = [journalFolder, takenFolder].map((name) => join(home, name));
  const names = listNames(join(home, journalFolder));
  return (
    names !== untold &&
    names.length === 0 &&
    folders.every((folder) => (statEntry(folder)?.ctimeMs ?? 0) < before)
  );
}

function noteHome(home: string, place: string): void {
  const note = join(place, nameNote(home));
  if (statEntry(note)) return;
  try {
    if (ensurePrivateDirectory(place).ok && isOwnDirectory(place)) symlinkSync(home, note);
  } catch {
    // Another process was first, or the disk is full: then the homes do not know each other.
  }
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
