import { breather } from '../../lib/breathe.ts';
import type { IndexEntry } from '../../workspace/git/git-index.ts';
import { statEntry } from './entry.ts';

export interface ListedFile {
  /** The repository whose objects may hold its content. */
  root: string;
  /** The object that git's index names for it, where it is tracked: a claim, to be compared with the file's bytes. */
  id?: string;
}

/** Files up to a limit. Those that git tracks and that are unchanged come last: what the others hold may be nowhere else. */
export class FileList {
  readonly #files = new Map<string, ListedFile>();
  readonly #tracked = new Map<string, { file: ListedFile; seen: IndexEntry['seen'] }>();
  /** Names that are not text cannot be written down. */
  oddNames = 0;
  /** More files than the limit: the rest is left out. */
  isCut = false;

  constructor(private readonly maxFiles: number) {}

  /** False where the list is full. */
  add(path: string, file: ListedFile): boolean {
    if (this.#isOdd(path)) return true;
    if (this.#files.size >= this.maxFiles && !this.#files.has(path)) {
      this.isCut = true;
      return false;
    }
    this.#files.set(path, file);
    return true;
  }

  addTracked(path: string, file: ListedFile, seen: IndexEntry['seen']): void {
    if (!this.#isOdd(path)) this.#tracked.set(path, { file, seen });
  }

  /**
   * All together. Only where not all of them fit, it is looked which ones are changed. `prefersNew`: a command may have
   * changed any number of tracked files, and what it made must be found nevertheless.
   */
  async finish(prefersNew: boolean): Promise<Map<string, ListedFile>> {
    const isTight = this.#files.size + this.#tracked.size > this.maxFiles;
    if (isTight) this.isCut = true;
    const changed = isTight ? await this.#findChanged() : new Set<string>();
    const files = new Map<string, ListedFile>();
    const take = (path: string, file: ListedFile) => {
      if (files.size < this.maxFiles) files.set(path, file);
    };
    if (prefersNew) for (const [path, file] of this.#files) take(path, file);
    for (const [path, { file }] of this.#tracked) if (changed.has(path)) take(path, file);
    for (const [path, file] of this.#files) take(path, file);
    for (const [path, { file }] of this.#tracked) take(path, file);
    return files;
  }

  async #findChanged(): Promise<Set<string>> {
    const changed = new Set<string>();
    const breathe = breather();
    for (const [path, { seen }] of this.#tracked) {
      await breathe();
      const stat = seen && statEntry(path);
      if (stat && !(stat.size === seen.size && Math.abs(stat.mtimeMs - seen.mtimeMs) < 1)) changed.add(path);
    }
    return changed;
  }

  #isOdd(path: string): boolean {
    if (!isOddName(path)) return false;
    this.oddNames++;
    return true;
  }
}

/** It has bytes that are not text. */
export function isOddName(path: string): boolean {
  return path.includes('\uFFFD');
}
