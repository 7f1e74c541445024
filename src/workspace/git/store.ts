import { join } from 'node:path';
import { isSettled } from '../../lib/files/change-time.ts';
import { statEntry } from '../../lib/files/entry-at.ts';
import { listNames } from '../../lib/files/list-names.ts';

/** A directory of objects at the last look. A time of 0 never matches. */
interface Seen {
  time: number;
  names: ReadonlySet<string>;
}

export interface MissingObjects {
  /** The ids of loose objects. */
  ids: string[];
  /** Packs that are missing or shorter than before. */
  packs: string[];
}

const maxLooked = 20_000;

/** The size of one object per directory is compared, for this many directories. */
const maxSized = 64;

/**
 * The objects of a repository, by the names of their files: no name can disappear without changing its directory's time, so a
 * look costs one `lstat` for each directory. Content that is overwritten in place is noticed by the size, of packs and of
 * some objects: a command that does it to one does it to many.
 */
export class GitStore {
  readonly #directories = new Map<string, Seen>();
  readonly #sizes = new Map<string, number>();
  #packs = new Map<string, number>();
  #packTime = 0;
  /** Files that were not there at the look before, as they are named in the directory of objects. */
  #fresh: string[] = [];
  /** Found missing by looks between two comparisons. */
  #missing: MissingObjects = { ids: [], packs: [] };

  constructor(private readonly objects: string) {}

  /** Records the present objects. Those that are missing since the last look are told by the next comparison. */
  look(): void {
    const { ids, packs } = this.#look(false);
    if (ids.length + packs.length === 0) return;
    this.#missing = { ids: [...this.#missing.ids, ...ids], packs: [...this.#missing.packs, ...packs] };
  }

  /** The files that are new since this was last asked. */
  takeFresh(): string[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  #look(isThorough: boolean): MissingObjects {
    const ids: string[] = [];
    let count = 0;
    // Most are missing where git has packed its objects.
    const present = new Set(listNames(this.objects));
    for (const name of directoryNames) {
      const before = this.#directories.get(name);
      const seen = present.has(name) ? this.#lookAt(`${this.objects}/${name}`, before) : gone;
      count += seen.names.size;
      if (seen === before) continue;
      for (const one of before?.names ?? []) if (!seen.names.has(one)) ids.push(`${name}${one}`);
      if (count <= maxLooked)
        for (const one of seen.names) if (!before?.names.has(one)) this.#fresh.push(`${name}/${one}`);
      this.#measure(name, seen);
      // Beyond that a look would take longer than a command may wait.
      if (seen === gone || count > maxLooked) this.#directories.delete(name);
      else this.#directories.set(name, seen);
    }
    for (const id of ids) this.#sizes.delete(id);
    return { ids, packs: this.#lookAtPacks(isThorough) };
  }

  /** The objects that are missing since the last comparison, or whose files have another size. */
  compare(): MissingObjects {
    const { ids, packs } = this.#look(true);
    const earlier = this.#missing;
    this.#missing = { ids: [], packs: [] };
    const changed = [...this.#sizes].filter(([id, size]) => this.#sizeOf(id) !== size).map(([id]) => id);
    for (const id of changed) this.#sizes.delete(id);
    return { ids: [...earlier.ids, ...ids, ...changed], packs: [...earlier.packs, ...packs] };
  }

  #sizeOf(id: string): number | undefined {
    return statEntry(join(this.objects, id.slice(0, 2), id.slice(2)))?.size;
  }

  #measure(directory: string, { names: [name] }: Seen): void {
    const id = `${directory}${name}`;
    if (name === undefined || this.#sizes.size >= maxSized || this.#sizes.has(id)) return;
    const size = this.#sizeOf(id);
    if (size !== undefined) this.#sizes.set(id, size);
  }

  #lookAt(directory: string, before: Seen | undefined): Seen {
    const stat = statEntry(directory);
    if (!stat?.isDirectory()) return gone;
    if (before && before.time === stat.ctimeMs) return before;
    const names = listNames(directory).filter((name) => /^[0-9a-f]{38,62}$/.test(name));
    // Taken before it is read: a later change has another time.
    return { time: isSettled(stat.ctimeMs) ? stat.ctimeMs : 0, names: new Set(names) };
  }

  #lookAtPacks(isThorough: boolean): string[] {
    const directory = join(this.objects, 'pack');
    const time = statEntry(directory)?.ctimeMs ?? 0;
    if (!isThorough && time !== 0 && time === this.#packTime) return [];
    this.#packTime = isSettled(time) ? time : 0;
    const now = new Map(
      listNames(directory)
        .filter((name) => /\.(pack|idx)$/.test(name))
        .map((name) => [name, statEntry(join(directory, name))?.size ?? 0] as const),
    );
    const missing = [...this.#packs].filter(([name, size]) => (now.get(name) ?? 0) < size);
    for (const name of now.keys()) if (!this.#packs.has(name)) this.#fresh.push(`pack/${name}`);
    this.#packs = now;
    return missing.map(([name]) => name);
  }
}

/** Objects are in directories named by the first byte of their ids. */
const directoryNames = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const gone: Seen = { time: 0, names: new Set() };
