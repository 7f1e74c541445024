import { join } from '../lib/files/exact-paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import {
  type FindStarts,
  listOwnWorktrees,
  listTreeFolders,
  listTwins,
  openStarts,
} from '../workspace/worktrees/twins.ts';
import { isBelow, statEntry } from './guard/look.ts';

/** Copies of a checkout's paths in our worktrees, as far as a command could see them. */
export interface Copies {
  readonly findStarts: FindStarts;
  /** In the worktrees that the command works in. */
  find(path: string): string[];
  /** Directories of worktrees beside a path: whatever is in them is no more than the path to be seen. */
  listFolders(path: string): string[];
}

/** `directories`: where the command works. */
export function openCopies(directories: readonly string[], home: string): Copies {
  const findStarts = remember(openStarts(home));
  const own = resolveRealPath(home);
  const trees = [...new Set(directories.map(resolveRealPath))].flatMap((path) =>
    listOwnWorktrees(path, findStarts),
  );
  const unique = [...new Map(trees.map((tree) => [tree.path, tree])).values()];
  const checkouts = new Map<string, boolean>();
  const isCheckout = (directory: string) => {
    const known = checkouts.get(directory) ?? statEntry(join(directory, '.git')) !== undefined;
    checkouts.set(directory, known);
    return known;
  };
  return {
    findStarts,
    find: (path) => unique.flatMap((tree) => listTwins(path, tree)),
    listFolders: (path) => [
      ...listTreeFolders(path, isCheckout).filter((folder) => !isBelow(folder, own)),
      ...unique
        .filter(({ starts }) => starts.some((start) => isBelow(path, start)))
        .map(({ main }) => join(main, '.cadre/worktrees')),
    ],
  };
}

function remember(find: FindStarts): FindStarts {
  const known = new Map<string, readonly string[]>();
  return (main, slug) => {
    const key = `${main}\0${slug}`;
    const found = known.get(key) ?? find(main, slug);
    known.set(key, found);
    return found;
  };
}
