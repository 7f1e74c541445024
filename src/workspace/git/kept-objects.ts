import {
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { holdDirectory, holdNewDirectory } from '../../lib/files/hold-directory.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { hashBytes } from '../../lib/hash.ts';
import { randomIds } from '../../lib/ids.ts';

/** So many bytes of a repository are copied, in files of this size. Larger ones only where they cannot get a second name. */
const maxCopied = 64 * 1024 * 1024;
const maxSmall = 64 * 1024;
/** Where more are new at once, copying them would take too long. */
const maxCopiedAtOnce = 2_000;

/** The kept objects of one repository, in a directory that holds those of all. `shared` is its git directory. */
export function locateKept(place: string, shared: string): string {
  return join(place, hashBytes(shared).slice(0, 16));
}

/**
 * Git's objects once more, where no command can remove them: git itself deletes those that nothing refers to
 * (`git gc --prune=now`), and a rewind may need these. Git never changes their files, so a second name (a hard link) is
 * enough for large ones; small ones are copied, since a command can change a file under all of its names. The directory is
 * laid out like git's own, for git to read.
 */
export class KeptObjects {
  /** As in `ab/cdef…` and `pack/pack-….idx`. */
  readonly #names = new Set<string>();
  /** Those of an earlier process, which may still be needed. */
  readonly #left: ReadonlySet<string>;
  /** Those with objects that git no longer has. */
  readonly #needed = new Set<string>();
  #room = maxCopied;

  constructor(
    readonly place: string,
    private readonly objects: string,
    /** False once another process has the session: then nothing is kept, removed or put back here. */
    private readonly mayWrite = () => true,
  ) {
    for (const directory of listNames(place))
      for (const name of listNames(join(place, directory))) this.#names.add(`${directory}/${name}`);
    this.#left = new Set(this.#names);
  }

  /** After each directory others may run. */
  *keep(names: readonly string[]): Generator<void> {
    const fresh = names.filter((name) => !this.#names.has(name));
    const copies = fresh.length <= maxCopiedAtOnce;
    for (const [directory, own] of Map.groupBy(fresh, (name) => name.slice(0, name.indexOf('/')))) {
      if (!this.mayWrite()) return;
      this.#keepIn(directory, own, copies);
      yield;
    }
  }

  /** Puts all files back that a command removed or overwrote. Returns how many. */
  putBack(): number {
    let count = 0;
    for (const name of this.#names) if (this.mayWrite() && this.#putBack(name)) count++;
    return count;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Git has what they held in other files. */
  release(names: Iterable<string>): void {
    for (const name of names) {
      if (!this.#names.delete(name)) continue;
      this.#needed.delete(name);
      if (!this.mayWrite()) return;
      attempt(() => unlinkSync(join(this.place, name)));
      attempt(() => rmdirSync(join(this.place, name.slice(0, name.indexOf('/')))));
    }
  }

  /** They stay when the session ends. */
  need(names: Iterable<string>): void {
    for (const name of names) {
      this.#names.add(name);
      this.#needed.add(name);
    }
  }

  /** At the end of the session: only what git no longer has is kept. */
  close(): void {
    if (!this.mayWrite()) return;
    const isLeft = (name: string) => this.#left.has(name) && !statEntry(join(this.objects, name));
    this.release([...this.#names].filter((name) => !this.#needed.has(name) && !isLeft(name)));
    attempt(() => rmdirSync(this.place));
    attempt(() => rmdirSync(join(this.place, '..')));
  }

  #keepIn(directory: string, names: readonly string[], copies: boolean): void {
    // A command that runs now could have put a link in its place.
    const held = holdDirectory(join(this.objects, directory));
    if (!held.ok) return;
    try {
      mkdirSync(join(this.place, directory), { recursive: true, mode: 0o700 });
      for (const name of names) {
        const from = `${held.value.path}/${name.slice(directory.length + 1)}`;
        const to = join(this.place, name);
        if ((copies && this.#copy(from, to, maxSmall)) || this.#link(from, to)) this.#names.add(name);
      }
    } catch {
      // Without them a rewind says what it cannot restore.
    } finally {
      held.value.close();
    }
  }

  #copy(from: string, to: string, most: number): boolean {
    const read = readBounded(from, Math.min(most, this.#room), { refusesLinks: true });
    if (read.state !== 'read' || !attempt(() => writeFileSync(to, read.bytes, newFile))) return false;
    this.#room -= read.bytes.length;
    return true;
  }

  #link(from: string, to: string): boolean {
    if (!attempt(() => linkSync(from, to))) return !statEntry(to) && this.#copy(from, to, maxCopied);
    if (lstatSync(to, ifAny)?.isFile()) return true;
    // A second name of a link is a link.
    attempt(() => unlinkSync(to));
    return false;
  }

  #putBack(name: string): boolean {
    const [directory = '', file = ''] = name.split('/');
    const from = join(this.place, name);
    const kept = statEntry(from);
    const present = statEntry(join(this.objects, name));
    if (present?.isFile() && present.size === kept?.size) return false;
    const held = kept?.isFile() ? holdNewDirectory(join(this.objects, directory)) : undefined;
    if (!kept || held?.state !== 'found') return false;
    const to = `${held.value.path}/${file}`;
    const temporary = `${held.value.path}/tmp_obj_${randomIds.token(8)}`;
    try {
      if (lstatSync(to, ifAny)?.ino === kept.ino) return false;
      const isLinked = kept.size > maxSmall && attempt(() => linkSync(from, temporary));
      if (!isLinked) copyFile(from, temporary);
      renameSync(temporary, to);
      return true;
    } catch {
      attempt(() => rmSync(temporary, { force: true }));
      return false;
    } finally {
      held.value.close();
    }
  }
}

/** Adds the files of packs to a repository, the index of each last, as git does. */
export function addPacks(from: string, objects: string): boolean {
  const names = listNames(from).filter((name) => /^pack-[0-9a-f]+\.(pack|idx)$/.test(name));
  const held = holdNewDirectory(join(objects, 'pack'));
  if (held.state !== 'found') return false;
  try {
    for (const name of names.toSorted().toReversed()) {
      const to = `${held.value.path}/${name}`;
      if (lstatSync(to, ifAny)) continue;
      const temporary = `${held.value.path}/tmp_pack_${randomIds.token(8)}`;
      copyFile(join(from, name), temporary);
      renameSync(temporary, to);
    }
    return names.length > 0;
  } catch {
    return false;
  } finally {
    held.value.close();
  }
}

const ifAny = { throwIfNoEntry: false } as const;
const newFile = { flag: 'wx', mode: 0o400 } as const;
const maxPutBack = 1024 * 1024 * 1024;

function copyFile(from: string, to: string): void {
  const read = readBounded(from, maxPutBack, { refusesLinks: true });
  if (read.state !== 'read') throw new Error(`${from} cannot be read`);
  writeFileSync(to, read.bytes, { flag: 'wx', mode: 0o444 });
}

function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
