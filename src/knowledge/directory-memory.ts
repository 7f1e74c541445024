import { join } from 'node:path';
import { isWithin, relativeParts } from '../workspace/paths.ts';
import { type MemoryOptions, readDirectoryMemory } from './memory.ts';
import { findRealPath } from './memory-file.ts';
import type { MemoryFile } from './memory-kinds.ts';

/**
 * Memory files of directories below those whose memory is in the prompts. A directory is read once, when an agent first
 * works there: all agents of a session get the same text.
 */
export class DirectoryMemory {
  readonly #read = new Map<string, Promise<MemoryFile[]>>();
  readonly #known: ReadonlySet<string>;
  readonly #texts: ReadonlySet<string>;

  constructor(
    private readonly options: MemoryOptions,
    /** The memory that agents start with. */
    start: readonly MemoryFile[],
    private readonly report: (problem: string) => void = () => {},
  ) {
    this.#known = new Set(start.map(({ path }) => findRealPath(path) ?? path));
    this.#texts = new Set(start.map(({ text }) => text));
  }

  /**
   * The files for work in a directory, from the top down, nearest last. `tree` is the agent's checkout: the repository, or
   * a worktree, which has the same directories.
   */
  async find(directory: string, tree: string): Promise<MemoryFile[]> {
    const isApart = isWithin(directory, tree) && !isWithin(this.options.cwd, tree);
    const root = isApart ? tree : this.options.root;
    const found: MemoryFile[] = [];
    for (const below of this.#listDirectories(directory, root))
      found.push(...(await this.#open(below, root)));
    return found;
  }

  /** Without those that lead from the root to the start. */
  #listDirectories(directory: string, root: string): string[] {
    const parts = relativeParts(directory, root);
    if (!parts || parts.length > maxDepth) return [];
    const start = relativeParts(this.options.cwd, this.options.root) ?? [];
    return parts
      .map((_, index) => parts.slice(0, index + 1))
      .filter((below) => below.some((part, index) => part !== start[index]))
      .filter((below) => !below.some((part) => skipped.has(part)))
      .map((below) => join(root, ...below));
  }

  #open(directory: string, root: string): Promise<MemoryFile[]> {
    const read = this.#read.get(directory) ?? this.#readNew(directory, root);
    this.#read.set(directory, read);
    return read;
  }

  async #readNew(directory: string, root: string): Promise<MemoryFile[]> {
    const { files, problems } = await readDirectoryMemory({ ...this.options, root }, directory);
    for (const { message } of problems) this.report(message);
    return files.filter(
      ({ path, text }) => !this.#known.has(findRealPath(path) ?? path) && !this.#texts.has(text),
    );
  }
}

const maxDepth = 64;
/** Packages of others and git's own files are not places of work. */
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git']);
