import { findSharedFiles } from '../../places/shared-files.ts';
import { fewPlaces } from './few-places.ts';

/** A file with several names: those in the workspace, and the number of all. */
export interface SharedFile {
  readonly paths: string[];
  readonly count: number;
}

/**
 * The files of a workspace that have several names (hard links), as the survey found them. What is closed under one name is
 * closed under all.
 */
export class SharedNames {
  /** By the places that were asked about: the same ones, command for command. */
  readonly #known = new Map<string, string[]>();

  /** `files` by their identity. */
  constructor(
    private readonly files: ReadonlyMap<string, SharedFile>,
    private readonly roots: readonly string[],
  ) {}

  /**
   * Other names of files that are at or below these places. Where a file has names outside the workspace, the places are
   * looked through for it, unless `isClosed`: such files are read-only anyway.
   */
  of(places: readonly string[], isClosed = false): string[] {
    if (this.files.size === 0 || places.length === 0) return [];
    const key = [isClosed, ...places].join('\0');
    const before = this.#known.get(key);
    if (before) return before;
    const found = fewPlaces(this.#find(new Set(places), isClosed), this.roots);
    this.#known.set(key, found);
    return found;
  }

  #find(places: ReadonlySet<string>, isClosed: boolean): string[] {
    const isPartly = [...this.files.values()].some(({ paths, count }) => paths.length < count);
    const inside = isPartly && !isClosed ? findSharedFiles([...places]) : new Map<string, string>();
    return [...this.files].flatMap(([identity, { paths }]) => {
      const others = paths.filter((path) => !isAtOrBelow(path, places));
      return others.length < paths.length || inside.has(identity) ? others : [];
    });
  }
}

function isAtOrBelow(path: string, places: ReadonlySet<string>): boolean {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) if (places.has(at)) return true;
  return false;
}
