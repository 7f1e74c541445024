import { statEntry } from '../../lib/files/entry-at.ts';
import { type DirectoryEntry, listEntries } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';

/** Git writes them by name, and through a link: elsewhere a file would be appended to, created or removed. */
const trees = ['refs', 'logs'];
const files = ['index', 'packed-refs', 'objects', 'objects/pack', 'objects/info'];

const writing = new Set([
  ...['add', 'branch', 'checkout', 'commit', 'fetch', 'merge', 'read-tree', 'reset', 'restore', 'stash'],
  ...['submodule', 'update-index', 'update-ref', 'worktree'],
]);

/** Whether git, called like this, may write references, their logs or the index of the repository. */
export function writesData(subcommand: string): boolean {
  return writing.has(subcommand);
}

/**
 * A failure where git would write its own data through a link, which a command that runs now could have made. `common` is
 * the directory that the worktrees share.
 */
export function refuseLinkedData(common: string): Result<void> {
  const worktrees = join(common, 'worktrees');
  const own = [common, ...listNames(worktrees).map((name) => join(worktrees, name))];
  const link = own.map(findLink).find((found) => found !== undefined);
  return link === undefined
    ? ok(undefined)
    : failure(
        `Git's own data was found behind a link: ${visibleLine(link, 300)}. Git would write through it, and a confined command that runs now could have made it.`,
        'Stop the command or wait for its end, which takes such links away, and try again.',
      );
}

function findLink(directory: string): string | undefined {
  const plain = files.map((name) => join(directory, name)).find(isLink);
  if (plain !== undefined) return plain;
  const objects = join(directory, 'objects');
  return (
    list(objects)
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => join(objects, name))[0] ??
    trees.map((name) => findLinkBelow(join(directory, name))).find((found) => found !== undefined)
  );
}

function findLinkBelow(path: string): string | undefined {
  if (isLink(path)) return path;
  for (const entry of list(path)) {
    const below = join(path, entry.name);
    if (entry.isSymbolicLink()) return below;
    const found = entry.isDirectory() ? findLinkBelow(below) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function isLink(path: string): boolean {
  return statEntry(path)?.isSymbolicLink() === true;
}

/** What is gone in this moment has no links. */
function list(directory: string): DirectoryEntry[] {
  try {
    return listEntries(directory);
  } catch {
    return [];
  }
}
