import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import { findMainRoot } from './git/main-root.ts';
import { isWithin, relativeParts, splitPath } from './paths.ts';
import { isFollowed, resolveRealPath } from './real-path.ts';
import { findRoot } from './workspace.ts';

/**
 * A search path without relative places and without those in the workspace: `ls` must not be a program from a clone. A
 * workspace that is the user's home, or above it, keeps its places: they are the user's own.
 */
export function pathOutside(path: string, places: readonly string[], userHome: string): string {
  const isOutside = createOutsideTest(places, userHome);
  const outside = splitSearchPath(path).filter((place) => {
    const real = resolveRealPath(place);
    return isFollowed(place, real) && isOutside(real);
  });
  return outside.length > 0 ? outside.join(delimiter) : systemPath;
}

/** To a shell an empty search path is the working directory, and without one it may use its default. */
export const systemPath = '/usr/local/bin:/usr/bin:/bin';

/**
 * The search path for programs that Cadre itself starts by name: system directories, and the user's directories that are in
 * no project and that no other user can write. `places` are directories of the workspace besides those around `cwd`.
 */
export function programPath(
  path: string,
  cwd: string,
  userHome: string,
  places: readonly string[] = [],
): string {
  return safeEntries(path, createOutsideTest([...workPlaces(cwd), ...places], userHome), userHome).join(
    delimiter,
  );
}

function safeEntries(path: string, isOutside: (real: string) => boolean, userHome: string): string[] {
  const home = resolveRealPath(userHome);
  return splitSearchPath(path).filter((place) => {
    const real = resolveRealPath(place);
    return isFollowed(place, real) && isOutside(real) && isTrustedPlace(real, home);
  });
}

/**
 * Whether programs in a directory are the system's or the user's own: it is in no project, and no other user can write it.
 * `package`: it may belong to a package that was installed for the user.
 */
export function isTrustedPlace(real: string, home: string, kind?: 'package'): boolean {
  return isSafe(real) && !isInProject(real, home, kind);
}

/** The first program of that name along a search path; links are resolved. */
export function findProgram(name: string, path: string): string | undefined {
  return splitSearchPath(path)
    .map((directory) => join(directory, name))
    .find(isProgram);
}

/** A program for Cadre's own use, absolute. A link into the workspace is not used either. */
export function findOwnProgram(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
  places: readonly string[] = [],
): { file: string; path: string } | undefined {
  const home = environment.HOME || '/';
  const isOutside = createOutsideTest([...workPlaces(cwd), ...places], home);
  const directories = safeEntries(environment.PATH ?? '', isOutside, home);
  const file = directories
    .map((directory) => join(directory, name))
    .find((one) => {
      const real = resolveRealPath(one);
      return isProgram(one) && isFollowed(one, real) && isOutside(real);
    });
  return file === undefined ? undefined : { file, path: directories.join(delimiter) };
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The places of the work around a directory: itself, its repository, the main checkout and all its other work trees. */
export function workPlaces(cwd: string): string[] {
  const root = findRoot(cwd);
  if (root === undefined) return [cwd];
  const main = findMainRoot(root);
  return [...new Set([cwd, root, main, ...otherWorktrees(main)])];
}

const maxWorktrees = 1_000;

/** As git lists them in the shared directory. */
function otherWorktrees(main: string): string[] {
  const directory = join(main, '.git', 'worktrees');
  try {
    return readdirSync(directory)
      .slice(0, maxWorktrees)
      .flatMap((name) => {
        const link = join(directory, name, 'gitdir');
        const named = readBoundedText(link, 8 * 1024, { refusesLinks: true });
        return named === undefined ? [] : [dirname(resolve(dirname(link), named.trim()))];
      });
  } catch {
    return [];
  }
}

function splitSearchPath(path: string): string[] {
  return path.split(delimiter).filter(isAbsolute);
}

export function createOutsideTest(places: readonly string[], userHome: string): (real: string) => boolean {
  const home = resolveRealPath(userHome);
  const closed = [...new Set(places.map(resolveRealPath))].filter((place) => !isWithin(home, place));
  return (real) => !closed.some((place) => isWithin(real, place));
}

/** Whether only the system or this user can put programs there. */
function isSafe(real: string): boolean {
  try {
    const { mode, uid } = statSync(real);
    const isOwn = uid === 0 || uid === process.getuid?.() || uid === unmappedUser || isSystemPlace(real);
    return isOwn && (mode & 0o002) === 0;
  } catch {
    return false;
  }
}

/** In a rootless container, files of the machine's root belong to this user. */
const unmappedUser = 65_534;

/**
 * Dependencies of some package, or below the top of a repository. The user's version managers and package managers (`~/.nvm`,
 * `/opt/homebrew`) are repositories too: those in hidden directories of the home and of the system are meant to be on a
 * search path.
 */
function isInProject(real: string, home: string, kind?: 'package'): boolean {
  if (kind !== 'package' && splitPath(real).includes('node_modules')) return true;
  if (isSystemPlace(real)) return false;
  const top = findRoot(real);
  if (top === undefined || isWithin(home, top)) return false;
  return relativeParts(top, home)?.[0]?.startsWith('.') !== true;
}

const systemPlaces = [
  ...['/usr', '/bin', '/sbin', '/opt', '/nix', '/snap', '/run/current-system', '/gnu', '/var/lib/flatpak'],
  ...['/home/linuxbrew', '/Library', '/Applications', '/System'],
];

export function isSystemPlace(real: string): boolean {
  return systemPlaces.some((place) => isWithin(real, place));
}

/**
 * Where the system keeps programs and what they load, for every user to read: of `/etc` no more than they need, since root can
 * read more there than a command.
 */
export const programPlaces: readonly string[] = [
  ...['/usr/bin', '/usr/sbin', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libexec', '/usr/share'],
  ...['/usr/local/bin', '/usr/local/lib', '/usr/local/libexec', '/usr/local/share'],
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store', '/gnu/store', '/run/current-system'],
  '/home/linuxbrew/.linuxbrew',
  ...['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/passwd'],
];

export function isProgramPlace(real: string): boolean {
  return programPlaces.some((place) => isWithin(real, place));
}
