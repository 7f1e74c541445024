import { basename, dirname, join, resolve } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { relativeParts } from '../paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { findGitDirectory, isGitDirectory, readPointer } from './directory.ts';
import { parseGitConfig } from './parse-config.ts';

/**
 * The data of a repository, in which git keeps what files are and were. Each object is a file there, under a name that says
 * nothing of it: who reads it reads a file of any name.
 */
export interface ObjectStore {
  /** The git directory, or a directory of objects alone. */
  readonly path: string;
  /** The checkout whose files it keeps; undefined where that is unknown. */
  readonly root?: string;
}

/** The store that a file belongs to by its place or by the form of its name; undefined for one that holds no objects. */
export function findStore(path: string): ObjectStore | undefined {
  const store = findAround(dirname(path));
  if (store) return holdsContent(path, store) ? store : undefined;
  return looksLikeObject.test(path) ? { path: dirname(path) } : undefined;
}

/** Whether a file in a git directory may hold what is in tracked files, or their names. */
export function holdsContent(path: string, { path: directory }: ObjectStore): boolean {
  const [first, ...rest] = relativeParts(path, directory) ?? [];
  // A submodule's data may still lack what makes it a repository.
  const isPlain = first === 'modules' && rest.slice(-2).join('/') === 'info/exclude';
  return first !== undefined && !isPlain && !plainParts.test(first);
}

/** Settings, references and what git records about them, but no content of files. All else counts. */
const plainParts =
  /^(?:HEAD|\w+_HEAD|config|config\.worktree|description|packed-refs|shallow|gitdir|commondir|locked|refs|logs|hooks|info|branches|worktrees|MERGE_MSG|MERGE_MODE|SQUASH_MSG|BISECT_\w+)$/;

/**
 * Whether content lies there as text. Objects and packs are compressed, and the index has names alone; patches of an open rebase,
 * files of Git LFS and the message of a commit with its diff can be read as they are.
 */
export function holdsText(store: ObjectStore): boolean {
  if (looksLikeObjects(store)) return false;
  return listNames(store.path).some(
    (name) =>
      holdsContent(join(store.path, name), store) &&
      !compressedParts.has(name) &&
      !(name === 'COMMIT_EDITMSG' && isPlainMessage(join(store.path, name))),
  );
}

/** Submodules have stores of their own. */
const compressedParts: ReadonlySet<string> = new Set(['objects', 'index', 'modules']);

function looksLikeObjects({ path }: ObjectStore): boolean {
  return !isGitDirectory(path) && statEntry(join(path, 'pack')) !== undefined;
}

function isPlainMessage(path: string): boolean {
  const read = readBounded(path, maxConfig);
  return read.state === 'read' && !/^diff /m.test(read.bytes.toString('utf8'));
}

/** As in a directory of objects that repositories share, or in one of Git LFS. */
const looksLikeObject =
  /\/[0-9a-f]{2}\/(?:[0-9a-f]{38}|[0-9a-f]{62}|[0-9a-f]{2}\/[0-9a-f]{64})$|\/pack-[0-9a-f]{40,64}\.pack$/;

/** The git directory that a directory is in, or is. */
function findAround(directory: string): ObjectStore | undefined {
  for (let place = directory; ; place = dirname(place)) {
    if (isGitDirectory(place)) return describeStore(place);
    if (place === dirname(place)) return undefined;
  }
}

/** The stores among directories, and those of submodules in there. The content of a `.git` need not be among them. */
export function listStores(directories: readonly string[]): ObjectStore[] {
  const known = new Set(directories);
  const found = directories.flatMap((directory): ObjectStore[] => {
    const parent = dirname(directory);
    switch (basename(directory).toLowerCase()) {
      case '.git':
        return [...describeAt(directory), ...listModules(join(directory, 'modules'))];
      case 'objects':
        return isGitDirectory(parent) ? [describeStore(parent)] : [];
      case 'pack':
        // Without a head it can be one that other repositories share.
        return known.has(join(parent, 'info')) && !isGitDirectory(dirname(parent)) ? [{ path: parent }] : [];
      default:
        return [];
    }
  });
  return [...new Map(found.map((store) => [store.path, store])).values()];
}

/** Git passes over one without a head, but its objects stay. */
function describeAt(directory: string): ObjectStore[] {
  if (isGitDirectory(directory)) return [describeStore(directory)];
  return statEntry(join(directory, 'objects')) ? [{ path: directory }] : [];
}

/** The data of submodules, whose names may have slashes in them. Where there are too many, they count as one. */
function listModules(root: string): ObjectStore[] {
  const found: ObjectStore[] = [];
  const waiting = [root];
  let left = maxModules;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const isStore = isGitDirectory(place);
    if (isStore) found.push(describeStore(place));
    const next = isStore ? join(place, 'modules') : place;
    const names = listNames(next);
    left -= names.length;
    if (left < 0) return [{ path: root }];
    for (const name of names) if (statEntry(join(next, name))?.isDirectory()) waiting.push(join(next, name));
  }
  return found;
}

const maxModules = 10_000;

/** Its checkout points back to it. */
function describeStore(path: string): ObjectStore {
  const named = basename(path) === '.git' ? dirname(path) : findNamedRoot(path);
  const back = named === undefined ? undefined : findGitDirectory(named);
  const isOwn = back !== undefined && resolveRealPath(back) === resolveRealPath(path);
  return named !== undefined && isOwn ? { path, root: named } : { path };
}

/** A submodule's data names its checkout, and so does that of a linked worktree. */
function findNamedRoot(path: string): string | undefined {
  const pointer = readPointer(join(path, 'gitdir'));
  if (pointer !== undefined) return dirname(resolve(path, pointer));
  const read = readBounded(join(path, 'config'), maxConfig);
  if (read.state !== 'read') return undefined;
  const named = parseGitConfig(read.bytes.toString('utf8')).findLast(
    ({ section, name }) => section === 'core' && name === 'worktree',
  );
  return named === undefined ? undefined : resolve(path, named.value);
}

const maxConfig = 1024 * 1024;
