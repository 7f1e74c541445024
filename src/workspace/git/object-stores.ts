import { basename, dirname, join, resolve } from 'node:path';
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

/** The stores among directories, by the objects in them. */
export function listStores(directories: readonly string[]): ObjectStore[] {
  const known = new Set(directories);
  const found = new Map<string, ObjectStore>();
  for (const directory of directories) {
    const parent = dirname(directory);
    const name = basename(directory);
    if (name === 'objects' && isGitDirectory(parent)) found.set(parent, describeStore(parent));
    // Without a head it can be one that other repositories share.
    const isShared = name === 'pack' && known.has(join(parent, 'info')) && !isGitDirectory(dirname(parent));
    if (isShared) found.set(parent, { path: parent });
  }
  return [...found.values()];
}

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
