import { type Dirent, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { tickMs } from '../../lib/files/change-time.ts';
import { isRecent, statEntry } from './entry.ts';

/** At most this many entries that are not covered are watched for changes. */
const maxOthers = 500;

/** A directory at its last look. A time of 0 never matches. */
interface Seen {
  time: number;
  inode: number;
}

/** An entry of a covered directory that is not covered itself, such as an ignored file. */
interface Other {
  ctime: number;
}

export interface ChangedOther {
  path: string;
  /** Of its last change, in milliseconds since 1970. */
  time: number;
  isDirectory: boolean;
  /** A directory with nothing in it. */
  isEmpty?: true;
}

/**
 * The directories that hold covered files. A name cannot come or go without changing its directory's time, so only those
 * whose time changed are read again.
 */
export class SnapshotDirectories {
  readonly #seen = new Map<string, Seen>();
  readonly #moved = new Map<string, number>();
  readonly #lost = new Set<string>();
  readonly #others = new Map<string, Other>();

  constructor(private readonly clock: Clock) {}

  get paths(): Iterable<string> {
    return this.#seen.keys();
  }

  has(path: string): boolean {
    return this.#seen.has(path);
  }

  /** Adds the directories between the tops and a file; returns the new ones. */
  cover(path: string, tops: ReadonlySet<string>): string[] {
    const added: string[] = [];
    for (let up = dirname(path); !this.#seen.has(up); up = dirname(up)) {
      this.watch(up);
      added.push(up);
      if (tops.has(up) || up === dirname(up)) break;
    }
    return added;
  }

  /** A name that was found to be not covered, or is in such a directory. */
  isOther(path: string): boolean {
    for (let up = path; up !== dirname(up); up = dirname(up)) if (this.#others.has(up)) return true;
    return false;
  }

  watch(directory: string): void {
    if (!this.#seen.has(directory)) this.#seen.set(directory, { time: 0, inode: 0 });
    this.#others.delete(directory);
  }

  /** Whether it holds names that `isKnown` does not know as files. A missing directory is forgotten. */
  look(directory: string, isKnown: (path: string) => boolean): boolean {
    const stat = statEntry(directory);
    const before = this.#seen.get(directory);
    if (!stat?.isDirectory()) {
      this.#seen.delete(directory);
      this.#lost.add(directory);
      return false;
    }
    if (stat.ino !== before?.inode) this.#moved.set(directory, stat.ctimeMs);
    else if (stat.ctimeMs === before.time) return false;
    // Taken before reading: a later change has another time.
    const time = isRecent(stat.ctimeMs, this.clock.now()) ? 0 : stat.ctimeMs;
    this.#seen.set(directory, { time, inode: stat.ino });
    return listEntries(directory).some(({ path, isDirectory }) => {
      if (isDirectory ? this.has(path) : isKnown(path)) return false;
      return isKnown(path) || this.has(path) || !this.#others.has(path);
    });
  }

  /**
   * When a file came to its place, by the time of its own last change: a file in a directory that was moved there came with
   * it, and has its old times.
   */
  findTime(path: string, changed: number): number {
    let time = changed;
    for (let up = dirname(path); up !== dirname(up); up = dirname(up))
      time = Math.max(time, this.#moved.get(up) ?? 0);
    return time;
  }

  /** Whether it came to its place since the last look. */
  isNew(directory: string): boolean {
    return !this.#seen.has(directory) || this.#seen.get(directory)?.inode === 0;
  }

  /** Whether a directory on the way to it is missing, also where its name is now a link to another one. */
  isLost(path: string): boolean {
    if (this.#lost.size === 0) return false;
    for (let up = dirname(path); up !== dirname(up); up = dirname(up)) if (this.#lost.has(up)) return true;
    return false;
  }

  /** Must be called when everything found is recorded. */
  endRound(): void {
    this.#moved.clear();
    this.#lost.clear();
  }

  /**
   * Marks every unknown name as not covered, and returns the new ones. A name that may have appeared since the names were
   * listed is left for the next look.
   */
  takeOthers(
    directory: string,
    isKnown: (path: string) => boolean,
    listedAt = Number.POSITIVE_INFINITY,
  ): ChangedOther[] {
    const fresh: ChangedOther[] = [];
    for (const { path } of listEntries(directory)) {
      if (isKnown(path) || this.has(path) || this.#others.has(path) || this.#others.size >= maxOthers)
        continue;
      const stat = statEntry(path);
      if (!stat) continue;
      if (stat.ctimeMs >= listedAt - tickMs) {
        this.#seen.set(directory, { time: 0, inode: this.#seen.get(directory)?.inode ?? 0 });
        continue;
      }
      const other = { path, time: stat.ctimeMs, isDirectory: stat.isDirectory() };
      // Not real work: the sandbox creates empty directories for missing ones while a command runs.
      if (other.isDirectory && listEntries(path).length === 0) fresh.push({ ...other, isEmpty: true });
      else {
        this.#others.set(path, { ctime: stat.ctimeMs });
        fresh.push(other);
      }
    }
    return fresh;
  }

  /** Entries that are not covered and have changed since the last look, with the time of the change. */
  changedOthers(): ChangedOther[] {
    const changed: ChangedOther[] = [];
    for (const [path, other] of this.#others) {
      const stat = statEntry(path);
      if (stat?.ctimeMs === other.ctime) continue;
      const time = stat?.ctimeMs ?? statEntry(dirname(path))?.ctimeMs ?? this.clock.now();
      changed.push({ path, time, isDirectory: stat?.isDirectory() === true });
      if (stat) other.ctime = stat.ctimeMs;
      else this.#others.delete(path);
    }
    return changed;
  }
}

/** Git's own directory changes with every git command. */
function listEntries(directory: string): { path: string; isDirectory: boolean }[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter(({ name }: Dirent) => name !== '.git')
      .map((entry) => ({ path: join(directory, entry.name), isDirectory: entry.isDirectory() }));
  } catch {
    return [];
  }
}
