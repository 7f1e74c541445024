import { type Dirent, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { statOf, tickMs } from './snapshot-entry.ts';

/** So many entries that are not covered are looked at, to tell that something changed there. */
const maxOthers = 500;

/** An entry of a covered directory that is not covered itself, such as an ignored file. */
interface Other {
  ctime: number;
}

export interface ChangedOther {
  path: string;
  /** Of its last change, in milliseconds since 1970. */
  time: number;
  isDirectory: boolean;
}

/**
 * The directories that hold covered files. A name cannot come or go without changing its directory's time, so only those
 * whose time changed are read again.
 */
export class SnapshotDirectories {
  readonly #times = new Map<string, number>();
  readonly #others = new Map<string, Other>();

  get paths(): Iterable<string> {
    return this.#times.keys();
  }

  has(path: string): boolean {
    return this.#times.has(path);
  }

  /** Adds the directories between the tops and a file; returns those that are new. */
  cover(path: string, tops: ReadonlySet<string>): string[] {
    const added: string[] = [];
    for (let up = dirname(path); !this.#times.has(up); up = dirname(up)) {
      this.watch(up);
      added.push(up);
      if (tops.has(up) || up === dirname(up)) break;
    }
    return added;
  }

  watch(directory: string): void {
    if (!this.#times.has(directory)) this.#times.set(directory, 0);
    this.#others.delete(directory);
  }

  /** Whether it holds names that `isKnown` does not know. One that is gone is forgotten. */
  look(directory: string, isKnown: (path: string) => boolean): boolean {
    const stat = statOf(directory);
    if (!stat?.isDirectory()) {
      this.#times.delete(directory);
      return false;
    }
    if (stat.ctimeMs === this.#times.get(directory)) return false;
    // Before it is read: what changes meanwhile has another time later.
    const isSettled = Math.abs(Date.now() - stat.ctimeMs) > (stat.ctimeMs % 1000 === 0 ? 2000 : tickMs);
    this.#times.set(directory, isSettled ? stat.ctimeMs : 0);
    return namesIn(directory).some((path) => !isKnown(path) && !this.#others.has(path) && !this.has(path));
  }

  /** Takes every name that is not known as not covered, and returns those that are new. */
  takeOthers(directory: string, isKnown: (path: string) => boolean): ChangedOther[] {
    const fresh: ChangedOther[] = [];
    for (const path of namesIn(directory)) {
      if (isKnown(path) || this.has(path) || this.#others.has(path) || this.#others.size >= maxOthers)
        continue;
      const stat = statOf(path);
      if (!stat) continue;
      this.#others.set(path, { ctime: stat.ctimeMs });
      fresh.push({ path, time: stat.ctimeMs, isDirectory: stat.isDirectory() });
    }
    return fresh;
  }

  /** Entries that are not covered and have changed since the last look, with the time of it. */
  changedOthers(): ChangedOther[] {
    const changed: ChangedOther[] = [];
    for (const [path, other] of this.#others) {
      const stat = statOf(path);
      if (stat?.ctimeMs === other.ctime) continue;
      const time = stat?.ctimeMs ?? statOf(dirname(path))?.ctimeMs ?? Date.now();
      changed.push({ path, time, isDirectory: stat?.isDirectory() === true });
      if (stat) other.ctime = stat.ctimeMs;
      else this.#others.delete(path);
    }
    return changed;
  }
}

/** Git's own directory changes with every command of git's. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter(({ name }: Dirent) => name !== '.git')
      .map(({ name }) => join(directory, name));
  } catch {
    return [];
  }
}
