import { dirname, join } from 'node:path';
import { isWithin } from '../../workspace/paths.ts';
import { mayBeProtected, protectedName } from '../protected.ts';
import { type GitPlace, gitPlacesOf } from './git-places.ts';
import { directoriesIn, entryAt, namesIn, textAt } from './look.ts';

/** Protected paths around a command: those that are there, and its repositories, which it may commit to. */
export interface ProtectedPlaces {
  present: string[];
  git: GitPlace[];
}

/** So many directories are looked into for repositories. */
const mostDirectories = 200;

/** The directories whose protected names are guarded: the workspace's own, and those from there to where the command runs. */
export function guardedDirectories(roots: readonly string[], cwd: string): string[] {
  const found = new Set(roots);
  for (const root of roots)
    for (let directory = cwd; isWithin(directory, root) && directory !== root; directory = dirname(directory))
      found.add(directory);
  return [...found];
}

export function findProtected(directories: readonly string[], roots: readonly string[]): ProtectedPlaces {
  const repositories = new Set([...directories, ...roots.flatMap(nestedRepositories)]);
  const git = [...repositories].flatMap(gitPlacesOf);
  const isGit = (path: string) => git.some(({ directory }) => directory === path);
  return { present: directories.flatMap(protectedIn).filter((path) => !isGit(path)), git };
}

/** Two parts deep at most, as the names are. */
export function protectedIn(directory: string): string[] {
  return namesIn(directory).flatMap((name) => {
    if (!mayBeProtected(name)) return [];
    const path = join(directory, name);
    if (protectedName(`/${name}`) !== undefined) return [path];
    if (!holders.has(name.toLowerCase())) return [];
    return namesIn(path)
      .filter((inner) => protectedName(`/${name}/${inner}`) !== undefined)
      .map((inner) => join(path, inner));
  });
}

/** The first parts of protected names that have two. */
const holders = new Set(['.github', '.config']);

/** Repositories directly below, and those that `.gitmodules` names. */
function nestedRepositories(root: string): string[] {
  const named = [...(textAt(join(root, '.gitmodules')) ?? '').matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)];
  const submodules = named
    .map((match) => join(root, match[1] ?? ''))
    .filter((path) => isWithin(path, root) && path !== root && entryAt(path)?.isDirectory());
  return [...directoriesIn(root).slice(0, mostDirectories), ...submodules].filter(
    (path) => entryAt(join(path, '.git')) !== undefined,
  );
}
