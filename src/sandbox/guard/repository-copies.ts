import { join } from '../../lib/files/exact-paths.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { listKnown, untold } from '../../lib/told.ts';
import { type Copy, takeCopy } from './kept.ts';
import { isKnownEmpty, listNames, statEntry } from './look.ts';

/** Small files of a git directory before a command. */
interface RepositoryCopy {
  head: Copy;
  /** Set where the directory has its own store: that of a worktree has not. */
  store?: { packed: Copy; references: Map<string, Copy>; hasObjects: boolean };
}

export interface BrokenRepository {
  /** Copies to restore. */
  copies: Copy[];
  /** Losses that cannot be restored. */
  said: string[];
}

const maxReferences = 200;
const maxBytes = 1024 * 1024;
/** Entries that git creates in an empty store. */
const emptyStore = ['info', 'pack'];

/**
 * A sandboxed command may commit, so it may also remove what makes a directory a repository. Its head and references are
 * copied before each command, at the cost of some directory reads, and restored when it is no longer a repository.
 */
export class RepositoryCopies {
  readonly #copies = new Map<string, RepositoryCopy>();

  keep(directories: readonly string[]): void {
    for (const directory of directories) {
      const copy = this.#copyOf(directory);
      if (copy) this.#copies.set(directory, copy);
    }
  }

  /** Whether its head leads to another branch or commit than before the command. */
  hasMovedHead(directory: string): boolean {
    const before = this.#copies.get(directory)?.head;
    return (
      before?.content !== undefined &&
      takeCopy(before.path, maxBytes).content?.equals(before.content) === false
    );
  }

  /** `replaced`: paths where something else was, which was removed. */
  findBroken(directories: readonly string[], replaced: ReadonlySet<string>): BrokenRepository {
    const broken: BrokenRepository = { copies: [], said: [] };
    for (const directory of directories) {
      const before = this.#copies.get(directory);
      if (!before) continue;
      const missing = findMissing(directory, before);
      broken.copies.push(...(missing.length > 0 ? missing : findReplaced(before, replaced)));
      if (before.store?.hasObjects && isEmptyStore(join(directory, 'objects')))
        broken.said.push(
          `The command removed the objects of the repository in ${visibleLine(directory, 300)}: its commits are lost, unless a clone or a backup has them`,
        );
    }
    return broken;
  }

  #copyOf(directory: string): RepositoryCopy | undefined {
    const head = takeCopy(join(directory, 'HEAD'), maxBytes);
    if (head.kind !== 'file') return undefined;
    if (!isDirectory(join(directory, 'objects')) || !isDirectory(join(directory, 'refs'))) return { head };
    const before = this.#copies.get(directory)?.store;
    const packed = join(directory, 'packed-refs');
    return {
      head,
      store: {
        packed: isUnchanged(before?.packed, packed) ? before.packed : takeCopy(packed, maxBytes),
        references: copyReferences(join(directory, 'refs'), before?.references ?? new Map()),
        hasObjects: !isEmptyStore(join(directory, 'objects')),
      },
    };
  }
}

/** Git renames a reference into its place, so an unchanged directory has unchanged content. */
function copyReferences(top: string, before: ReadonlyMap<string, Copy>): Map<string, Copy> {
  const found = new Map<string, Copy>();
  const ahead = [top];
  for (let at = 0; at < ahead.length && found.size < maxReferences; at++) {
    const directory = ahead[at] ?? '';
    const isSame = isUnchanged(before.get(directory), directory);
    found.set(directory, takeCopy(directory, 0));
    for (const name of listKnown(listNames(directory)).slice(0, maxReferences)) {
      const path = join(directory, name);
      const known = isSame ? before.get(path) : undefined;
      const copy = known?.kind === 'file' ? known : takeCopy(path, maxBytes);
      if (copy.kind === 'directory') ahead.push(path);
      else if (copy.kind === 'file') found.set(path, copy);
    }
  }
  return found;
}

function isUnchanged(before: Copy | undefined, path: string): before is Copy {
  return before !== undefined && before.ctime === (statEntry(path)?.ctimeMs ?? 0);
}

/** Empty where it is still a repository: branches may come and go. */
function findMissing(directory: string, { head, store }: RepositoryCopy): Copy[] {
  const isHeadGone = statEntry(head.path)?.isFile() !== true;
  const [objects, references] = [join(directory, 'objects'), join(directory, 'refs')];
  const isStoreGone = store !== undefined && !(isDirectory(objects) && isDirectory(references));
  if (!isHeadGone && !isStoreGone) return [];
  const { packed, references: all = new Map<string, Copy>() } = store ?? {};
  const made: Copy = { path: objects, kind: 'directory', ctime: 0, mode: 0o755 };
  return [...(store ? [made] : []), head, ...(packed ? [packed] : []), ...all.values()].filter(
    ({ path, kind }) =>
      kind !== 'nothing' && (kind === 'directory' ? !isDirectory(path) : statEntry(path)?.isFile() !== true),
  );
}

/** A removed branch stays removed; one that was replaced by a pipe or a link was not removed by git. */
function findReplaced({ head, store }: RepositoryCopy, replaced: ReadonlySet<string>): Copy[] {
  if (replaced.size === 0) return [];
  const all = [head, ...(store ? [store.packed, ...store.references.values()] : [])];
  return all.filter(
    ({ path, kind }) => kind !== 'nothing' && replaced.has(path) && statEntry(path) === undefined,
  );
}

function isEmptyStore(objects: string): boolean {
  // Each directory in it has a link to it, beside its own two: most stores are recognized without reading them.
  if ((statEntry(objects)?.nlink ?? 0) > 2 + emptyStore.length) return false;
  return isKnownToHoldOnly(objects, emptyStore) && isKnownEmpty(join(objects, 'pack'));
}

function isKnownToHoldOnly(directory: string, expected: readonly string[]): boolean {
  const names = listNames(directory);
  return names !== untold && names.every((name) => expected.includes(name));
}

function isDirectory(path: string): boolean {
  return statEntry(path)?.isDirectory() === true;
}
