import { formatStamp } from '../../lib/files/change-time.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { listKnown } from '../../lib/told.ts';
import { judgeIndex } from '../../workspace/git/index-faults.ts';
import { listNames, statEntry } from './look.ts';

interface Known {
  stamp: string | undefined;
  /** Not looked into, since a large checkout may need one. */
  isLarge: boolean;
  isSplit: boolean;
}

/** Some 600,000 files. */
const maxBytes = 64 * 1024 * 1024;

/** Indexes that a command changed so that they mislead git. Only those that changed are read. */
export class PlantedIndexes {
  readonly #known = new Map<string, Known>();

  /** `others`: as for `ReplayLists`. */
  keep(places: readonly string[], others: number): void {
    for (const path of places.flatMap(listIndexes)) {
      if ((statEntry(path)?.ctimeMs ?? others) >= others || this.#isSame(path)) continue;
      const { isMisleading: _, ...known } = look(path);
      this.#known.set(path, known);
    }
  }

  find(places: readonly string[]): string[] {
    return places.flatMap(listIndexes).filter((path) => {
      if (this.#isSame(path)) return false;
      const before = this.#known.get(path);
      const { isMisleading, ...now } = look(path);
      if (isMisleading || (now.isLarge && !before?.isLarge)) return true;
      // What one in two parts remembers cannot be compared with its entries.
      if (now.isSplit && before?.isSplit === false) return true;
      this.#known.set(path, now);
      return false;
    });
  }

  #isSame(path: string): boolean {
    const stat = statEntry(path);
    const stamp = stat && formatStamp(stat);
    return stamp !== undefined && this.#known.get(path)?.stamp === stamp;
  }
}

/** That of the checkout, and the parts of a split one. */
function listIndexes(directory: string): string[] {
  return listKnown(listNames(directory))
    .filter((name) => name === 'index' || name.startsWith('sharedindex.'))
    .map((name) => join(directory, name));
}

function look(path: string): Known & { isMisleading: boolean } {
  const stat = statEntry(path);
  const isLarge = stat !== undefined && stat.size > maxBytes;
  const read = readBounded(path, maxBytes, { refusesLinks: true });
  const judged = read.state === 'read' ? judgeIndex(read.bytes) : { isMisleading: false, isSplit: false };
  return { stamp: stat && formatStamp(stat), isLarge, ...judged };
}
