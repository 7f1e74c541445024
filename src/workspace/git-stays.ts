import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { entryAt } from '../lib/entry-at.ts';
import { isGitDirectory } from './git-directory.ts';
import { findGitSettings } from './git-settings.ts';
import { isWithin } from './paths.ts';
import { realPathOf } from './real-path.ts';

/**
 * Why git, run in a directory, may show files of another place than the checkout around it: the repository says that its
 * work tree, its data or its settings are elsewhere. Undefined where it stays, or where there is no repository, unless one
 * is needed. Git itself is not run, and what cannot be read counts as elsewhere.
 *
 * A place outside is taken for the repository's own only where it points back to this checkout: nobody but its owner can
 * write that. Linked worktrees and submodules do.
 */
export function findGitStray(
  directory: string,
  isNeeded = false,
  plain: PlainFolders = new Map(),
): string | undefined {
  // Git takes a directory that is one of its own for a repository before it looks further up.
  for (let place: string = realPathOf(directory); ; place = dirname(place)) {
    if (isGitDirectory(place)) return `${place} is taken for a repository of its own`;
    const entry = entryAt(join(place, '.git'));
    if (entry) return strayOf(place, entry.isDirectory(), plain);
    if (place === dirname(place)) return isNeeded ? 'there is no repository around it' : undefined;
  }
}

/** Folders of objects without a link in them, with their state then: there may be thousands of objects. */
export type PlainFolders = Map<string, string>;

function strayOf(root: string, isDirectory: boolean, plain: PlainFolders): string | undefined {
  const named = isDirectory ? join(root, '.git') : namedDirectory(join(root, '.git'));
  if (named === undefined) return `the repository of ${root} cannot be read`;
  const own = realPathOf(named);
  const shared = sharedDirectory(own);
  const settings = findGitSettings([join(shared, 'config'), join(own, 'config.worktree')], root);
  if (typeof settings === 'string') return settings;
  const trees = settings.map((text) => realPathOf(resolve(own, text)));
  const other = trees.find((tree) => tree !== root);
  if (other !== undefined) return `its repository says that its files are in ${other}`;
  const isOwn = own === join(root, '.git') ? shared === own : pointsBack(own, shared, root, trees.length > 0);
  if (!isOwn) return `the data of its repository is in ${shared}`;
  if (sharesObjects(shared)) return 'its repository shares the objects of another one';
  return strayLink(own, shared, root) ?? strayObject(shared, plain);
}

/** `.git` may be a file that says where the data is, or a link. */
function namedDirectory(file: string): string | undefined {
  const text = readText(file);
  const target = text === undefined ? undefined : /^gitdir: ([^\n]+)\n?$/.exec(text)?.[1];
  return target === undefined ? undefined : resolve(dirname(file), target);
}

function sharedDirectory(own: string): string {
  const text = readText(join(own, 'commondir'))?.trim();
  return text === undefined ? own : realPathOf(resolve(own, text));
}

/** A linked worktree is listed in the repository that it belongs to; a submodule's data names its work tree. */
function pointsBack(own: string, shared: string, root: string, hasTree: boolean): boolean {
  if (shared === own) return hasTree;
  const back = readText(join(own, 'gitdir'))?.trim();
  const isListed = dirname(own) === join(shared, 'worktrees') && basename(own) !== '';
  return isListed && back !== undefined && realPathOf(resolve(own, back)) === join(root, '.git');
}

/** A link in git's data may lead to the data of another repository, or to a file that git would write. */
function strayLink(own: string, shared: string, root: string): string | undefined {
  const stores = ['', 'logs', 'info', 'refs', 'refs/heads', 'objects', 'objects/pack', 'objects/info'];
  for (const folder of new Set([own, join(own, 'logs'), ...stores.map((name) => join(shared, name))]))
    for (const entry of entriesOf(folder)) {
      // What keeps git from running programs keeps it from hooks.
      if (!entry.isSymbolicLink() || entry.name === 'hooks') continue;
      const target = realPathOf(join(folder, entry.name));
      if (!isWithin(target, shared) && !isWithin(target, root))
        return `in the data of its repository ${entry.name} leads to ${target}`;
    }
  return undefined;
}

/** A single object may be a link to one of another repository. Git itself makes no such links. */
function strayObject(shared: string, plain: PlainFolders): string | undefined {
  for (const { name } of entriesOf(join(shared, 'objects'))) {
    const folder = join(shared, 'objects', name);
    const state = /^[0-9a-f]{2}$/.test(name) ? stateOf(folder) : undefined;
    if (state === undefined || plain.get(folder) === state) continue;
    const link = entriesOf(folder).find((entry) => entry.isSymbolicLink());
    if (link) return `in the data of its repository ${name}/${link.name} is a link`;
    if (plain.size > maxPlain) plain.clear();
    plain.set(folder, state);
  }
  return undefined;
}

const maxPlain = 5000;

function stateOf(folder: string): string | undefined {
  const found = lstatSync(folder, { throwIfNoEntry: false, bigint: true });
  return found && `${found.dev} ${found.ino} ${found.mtimeNs} ${found.ctimeNs}`;
}

/** Objects of other repositories can be shown like its own. */
function sharesObjects(shared: string): boolean {
  const file = join(shared, 'objects', 'info', 'alternates');
  return existsSync(file) && readText(file)?.trim() !== '';
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
