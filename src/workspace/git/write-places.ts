import { isAbsolute } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { dirname, join } from '../../lib/files/exact-paths.ts';
import { resolveRealPath } from '../real-path.ts';
import type { OwnPlaces } from '../running-commands.ts';
import { findRoot } from '../workspace.ts';

const inWorkTree = new Set(['checkout', 'merge', 'reset', 'restore', 'stash', 'submodule']);
/** They change settings as well: that of a branch, or of a submodule. */
const inSettings = new Set(['branch', 'submodule']);

interface GivenPlaces {
  cwd: string;
  indexFile?: string;
  objects?: { own: string };
  workTree?: { gitDirectory: string; top: string };
}

/** Where git, called like this, has to write. What runs programs, and what commands cannot write either, stays closed. */
export function listWritePlaces(
  args: readonly string[],
  subcommand: string,
  { cwd, indexFile, objects, workTree }: GivenPlaces,
  common: string,
): Pick<OwnPlaces, 'open' | 'closed'> {
  const top = workTree?.top ?? findRoot(cwd);
  const isThere = (path: string) => statEntry(path) !== undefined;
  // A new worktree, or one that goes.
  const named = subcommand === 'worktree' ? args.filter(isAbsolute).map(dirname) : [];
  const open = [
    ...[common, ...named, ...(inWorkTree.has(subcommand) && top !== undefined ? [top] : [])],
    ...(indexFile === undefined ? [] : [dirname(indexFile)]),
    ...(objects ? [objects.own] : []),
    ...(workTree ? [workTree.gitDirectory, workTree.top] : []),
  ];
  const closed = [
    'hooks',
    'info/attributes',
    'info/exclude',
    ...(inSettings.has(subcommand) ? [] : ['config']),
  ];
  return {
    // Outer ones first: a mount hides what is below it.
    open: [...new Set(open.map(resolveRealPath))].filter(isThere).sort(),
    closed: closed
      .map((name) => join(common, name))
      .filter(isThere)
      .map(resolveRealPath),
  };
}
