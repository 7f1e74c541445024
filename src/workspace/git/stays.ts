import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { isLossy } from '../../lib/text/utf8.ts';
import { resolveRealPath } from '../real-path.ts';
import { type DataLook, findForeignData } from './data.ts';
import { findCommonDirectory, findGitDirectory, isGitDirectory, readPointer } from './directory.ts';
import { hasUnnameable } from './names.ts';
import { describeUnrecognised, describeUnused } from './recognised.ts';
import { type ComparerKind, findGitSettings, readSettings } from './settings.ts';

/**
 * Why git, run in a directory, may show files from outside the checkout around it: the repository says that its work tree,
 * its data or its settings are elsewhere. Undefined where it stays, or where there is no repository, unless one is needed.
 * Git itself is not run, and anything unreadable is treated as elsewhere.
 *
 * A place outside is accepted as the repository's own only where it points back to this checkout: only its owner can write
 * that. Linked worktrees and submodules do.
 */
export function findGitStray(directory: string, view: GitView = { plain: new Map() }): string | undefined {
  const real = resolveRealPath(directory);
  if (isLossy(directory) || isLossy(real)) return 'the directory has a name that is not valid UTF-8';
  // Git may use short names from there, where we cannot.
  if (Buffer.byteLength(real) > maxPath) return 'the path of the directory is too long to check';
  // Git takes a git directory for a repository before it looks further up.
  for (let place: string = real; ; place = dirname(place)) {
    if (isGitDirectory(place)) return `${place} is treated as a separate repository`;
    if (statEntry(join(place, '.git'))) return findStray(place, view) ?? straySubmodule(place, view);
    if (place === dirname(place)) return view.isNeeded ? 'it is not in a repository' : undefined;
  }
}

const maxPath = 3500;

export interface GitView extends DataLook {
  /** Without a repository the command reads its operands as files of any kind. */
  readonly isNeeded?: boolean;
  /** The kinds of programs the command would use to compare files. */
  readonly compares?: readonly ComparerKind[] | undefined;
  /** It needs every entry of the index. */
  readonly expandsIndex?: true | undefined;
  /** Whether entries of the index of a checkout stand for whole directories. */
  isSparse?(root: string): boolean;
  /** It looks into submodules by a git that follows their own settings. */
  readonly entersSubmodules?: true | undefined;
  /** Whether the user's settings name a checkout that belongs to somebody else. */
  isSafe?(root: string): boolean;
  /** The submodules in the index of a checkout; undefined where it cannot be read. */
  submodules?(root: string): readonly string[] | undefined;
}

function findStray(root: string, { compares = [], ...view }: GitView): string | undefined {
  const named = findGitDirectory(root);
  if (named === undefined) return `the repository of ${root} cannot be read`;
  const own = resolveRealPath(named);
  const shared = resolveRealPath(findCommonDirectory(own));
  const unrecognised = describeUnrecognised(own, shared);
  if (unrecognised !== undefined) return `git may not use the repository in ${root}: ${unrecognised}`;
  const unused = view.isNeeded ? describeUnused(root, own, shared, view.isSafe ?? (() => false)) : undefined;
  if (unused !== undefined) return `git may act as if there were no repository in ${root}: ${unused}`;
  const settings = findGitSettings([join(shared, 'config'), join(own, 'config.worktree')], root);
  if (typeof settings === 'string') return settings;
  const modules = readSettings(join(root, '.gitmodules'));
  if (!modules) return `${join(root, '.gitmodules')} cannot be read`;
  if (hasUnnameable(modules)) return 'a submodule has a name that is not valid UTF-8';
  const comparer = settings.comparers.find(({ kind }) => compares.includes(kind));
  if (comparer) {
    const without = compares
      .map((kind) => (kind === 'external' ? '--no-ext-diff' : '--no-textconv'))
      .join(' ');
    return `its settings name a program to compare files with (${comparer.name}), which may not run; add ${without}`;
  }
  const trees = settings.trees.map((text) => resolveRealPath(resolve(own, text)));
  const other = trees.find((tree) => tree !== root);
  if (other !== undefined) return `its repository says that its files are in ${other}`;
  const isOwn = own === join(root, '.git') ? shared === own : pointsBack(own, shared, root, trees.length > 0);
  if (!isOwn) return `its repository's data is in ${shared}`;
  if (view.expandsIndex && view.isSparse?.(root))
    return 'its index is sparse, and to read all of it git stores objects';
  if (sharesObjects(shared)) return 'its repository shares the objects of another one';
  return strayWorktree(shared) ?? findForeignData(shared, view);
}

/** For a submodule git reads its current commit, whatever else it shows. */
function straySubmodule(
  root: string,
  { submodules, entersSubmodules, compares: _, ...view }: GitView,
): string | undefined {
  const paths = submodules ? submodules(root) : [];
  if (!paths) return 'its tracked files are unknown';
  if (paths.length > maxSubmodules) return 'it has too many submodules to check';
  for (const path of paths) {
    if (!statEntry(join(path, '.git'))) continue;
    if (entersSubmodules)
      return `git would follow the settings of submodule ${path}; add --ignore-submodules`;
    const stray =
      resolveRealPath(path) === path ? findStray(path, view) : `it points to ${resolveRealPath(path)}`;
    if (stray !== undefined) return `submodule ${path}: ${stray}`;
  }
  return undefined;
}

const maxSubmodules = 200;

/** A linked worktree is listed in the repository that it belongs to; a submodule's data names its work tree. */
function pointsBack(own: string, shared: string, root: string, hasTree: boolean): boolean {
  if (shared === own) return hasTree;
  const back = readPointer(join(own, 'gitdir'));
  const isListed = dirname(own) === join(shared, 'worktrees') && basename(own) !== '';
  return isListed && back !== undefined && resolveRealPath(resolve(own, back)) === join(root, '.git');
}

/** Git reads the references of all worktrees from the shared directory they name. */
function strayWorktree(shared: string): string | undefined {
  for (const name of listNames(join(shared, 'worktrees'))) {
    const common = resolveRealPath(findCommonDirectory(join(shared, 'worktrees', name)));
    if (common !== shared && common !== join(shared, 'worktrees', name))
      return `the data of its worktree ${name} is in ${common}`;
  }
  return undefined;
}

/** Objects of other repositories can be shown like its own. */
function sharesObjects(shared: string): boolean {
  const file = join(shared, 'objects', 'info', 'alternates');
  return existsSync(file) && readBoundedText(file, maxAlternates)?.trim() !== '';
}

const maxAlternates = 64 * 1024;
