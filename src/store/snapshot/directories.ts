import { type Dirent, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { tickMs } from '../../lib/files/change-time.ts';
import { getErrorCode } from '../../lib/result.ts';
import { isRecent, mayBeEntered, statEntry } from './entry.ts';
import type { NameNote } from './journal.ts';

/** At most this many entries that are not covered are watched for changes. */
const maxOthers = 2_000;

/** A directory at its last look. A time of 0 never matches. */
interface Seen {
  time: number;
  inode: number;
}

const unread: Seen = { time: 0, inode: 0 };

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
  /** It no longer exists: the time is the latest possible one. */
  isGone?: true;
  /** A file that may have appeared after the listing: whether it is to be covered is not known. */
  isLate?: true;
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
  /** Paths of which more is known by now than the journal says. */
  readonly #unwritten = new Set<string>();

  constructor(
    private readonly clock: Clock,
    /** Told why something could not be looked at. */
    private readonly miss: (reason: string) => void,
  ) {}

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
    if (!this.#seen.has(directory)) this.#see(directory, unread);
    this.#setOther(directory, undefined);
  }

  /** Whether it holds names that `isKnown` does not know as files. A missing directory is forgotten. */
  look(directory: string, isKnown: (path: string) => boolean): boolean {
    const stat = statEntry(directory);
    const before = this.#seen.get(directory);
    if (!stat?.isDirectory()) {
      this.#see(directory, undefined);
      this.#lost.add(directory);
      return false;
    }
    if (stat.ino !== before?.inode) this.#moved.set(directory, stat.ctimeMs);
    else if (stat.ctimeMs === before.time) return false;
    // Taken before reading: a later change has another time.
    const time = isRecent(stat.ctimeMs, this.clock.now()) ? 0 : stat.ctimeMs;
    const wasRead = before !== undefined && before.inode !== unread.inode;
    const entries = listEntries(directory, this.miss, wasRead);
    this.#see(directory, entries || wasRead ? { time: entries ? time : 0, inode: stat.ino } : unread);
    return (entries ?? []).some(({ path, isDirectory }) => {
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

  /** Takes over what an earlier process knew. */
  takeLeft(notes: Iterable<NameNote>): void {
    for (const [path, inode, time, ctime] of notes) {
      if (inode !== null) this.#see(path, { inode, time });
      if (ctime !== null) this.#setOther(path, { ctime });
    }
  }

  /** What the journal does not say yet. For when all that was found is noted: a look that is cut off must be repeated. */
  takeUnwritten(): NameNote[] {
    const notes = [...this.#unwritten].map((path): NameNote => {
      const { inode, time } = this.#seen.get(path) ?? { inode: null, time: 0 };
      return [path, inode, time, this.#others.get(path)?.ctime ?? null];
    });
    this.#unwritten.clear();
    return notes;
  }

  /**
   * Marks every unknown name as not covered, and returns the new ones. A file that may have appeared since the names were
   * listed is returned as late, and not marked.
   */
  takeOthers(
    directory: string,
    isKnown: (path: string) => boolean,
    listedAt = Number.POSITIVE_INFINITY,
  ): ChangedOther[] {
    const fresh: ChangedOther[] = [];
    for (const { path } of listEntries(directory, this.miss) ?? []) {
      if (isKnown(path) || this.has(path) || this.#others.has(path)) continue;
      if (this.#others.size >= maxOthers) {
        this.miss(`more than ${maxOthers} paths are not covered, and the rest are not watched`);
        break;
      }
      const stat = statEntry(path);
      if (!stat) continue;
      const other = { path, time: stat.ctimeMs, isDirectory: stat.isDirectory() };
      // Pipes, sockets and devices are never covered.
      const mayBeCovered = stat.isFile() || stat.isSymbolicLink();
      const isLate = mayBeCovered && stat.ctimeMs >= listedAt - tickMs;
      // Not real work: the sandbox creates empty directories for missing ones while a command runs.
      if (other.isDirectory && listEntries(path, this.miss)?.length === 0)
        fresh.push({ ...other, isEmpty: true });
      else if (isLate) fresh.push({ ...other, isLate });
      else {
        this.takeOther(other);
        fresh.push(other);
      }
    }
    return fresh;
  }

  takeOther({ path, time }: ChangedOther): void {
    this.#setOther(path, { ctime: time });
  }

  /** Entries that are not covered and have changed since the last look, with the time of the change. */
  changedOthers(): ChangedOther[] {
    const changed: ChangedOther[] = [];
    for (const [path, { ctime }] of this.#others) {
      const stat = statEntry(path);
      if (stat?.ctimeMs === ctime) continue;
      const time = stat?.ctimeMs ?? statEntry(dirname(path))?.ctimeMs ?? this.clock.now();
      const other = { path, time, isDirectory: stat?.isDirectory() === true };
      changed.push(stat ? other : { ...other, isGone: true });
      this.#setOther(path, stat && { ctime: stat.ctimeMs });
    }
    return changed;
  }

  #see(directory: string, seen: Seen | undefined): void {
    if (seen) this.#seen.set(directory, seen);
    else this.#seen.delete(directory);
    this.#unwritten.add(directory);
  }

  #setOther(path: string, other: Other | undefined): void {
    if (other) this.#others.set(path, other);
    else if (!this.#others.delete(path)) return;
    this.#unwritten.add(path);
  }
}

/** Git's own directory, which changes with every git command, is left out. Undefined if the entries cannot be listed. */
export function listEntries(
  directory: string,
  miss: (reason: string) => void,
  wasRead = false,
): { path: string; isDirectory: boolean }[] | undefined {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter(({ name }: Dirent) => name !== '.git')
      .map((entry) => ({ path: join(directory, entry.name), isDirectory: entry.isDirectory() }));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(getErrorCode(error) ?? '')) return [];
    if (wasRead || mayBeEntered(directory)) miss(`${directory} cannot be read`);
    return undefined;
  }
}
