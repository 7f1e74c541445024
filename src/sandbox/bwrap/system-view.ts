import { constants, readFileSync } from 'node:fs';
import { accessSync, readlinkSync } from '../../lib/files/exact-files.ts';
import { basename, dirname, join } from '../../lib/files/exact-paths.ts';
import { listKnown } from '../../lib/told.ts';
import { findClosedToOthers, isSearchedTop } from '../closed-to-others.ts';
import { isBelow, type Looks, listNames, openLooks } from '../guard/look.ts';
import { hiddenFromRoot, hiddenParts } from './system.data.ts';

/** The part of the machine that a command sees. All paths are real ones that exist. */
export interface MachineView {
  hidden: string[];
  /** Parts of those that are shown anyway. */
  shown: string[];
  links: { path: string; target: string }[];
}

export interface SystemView extends MachineView {
  /** Also hidden, except in a directory that the command works in or takes programs from. */
  closed: ClosedPlace[];
}

export interface ClosedPlace {
  path: string;
  /** Its inode, to recognize it. */
  node: number;
}

/**
 * Paths to hide for one, the best first. If it is missing now, or another file, that may happen again before the next command
 * starts, and nothing can be mounted on a missing path: then its directory is hidden.
 */
export function listCovers({ path, node }: ClosedPlace, looks: Looks): string[] {
  const above = dirname(path);
  const isSteady = looks.at(path)?.ino === node;
  return isSteady || isSearchedTop(above) ? [path] : [above, path];
}

/** The machine's own view, the same for all; the lists are for Linux. It does not change during a session. */
export function buildSystemView(isRoot: boolean): SystemView {
  if (process.platform !== 'linux') return { hidden: [], shown: [], links: [], closed: [] };
  const looks = openLooks();
  const parts = [...hiddenParts, ...(isRoot ? hiddenFromRoot : [])];
  const isThere = (path: string) => looks.at(path) !== undefined;
  const hidden = parts
    .flatMap((part) => part.hidden.filter(isThere).map(looks.real))
    .filter((path) => hides(path, looks, isRoot));
  return {
    hidden,
    shown: parts.flatMap(({ shown = [] }) => shown.filter(isThere).map(looks.real)),
    links: hidden.flatMap((path) => linksInto(path, looks)),
    closed: isRoot
      ? findClosedToOthers()
          .map(looks.real)
          .filter((path) => !hidden.some((one) => isBelow(path, one)) && hides(path, looks, isRoot))
          .map((path) => ({ path, node: looks.at(path)?.ino ?? 0 }))
      : [],
  };
}

/** Links to hidden directories are created again with the same target. */
export function linksAmong(paths: readonly string[], looks: Looks): MachineView['links'] {
  return paths.flatMap((path) =>
    looks.at(path)?.isSymbolicLink() ? [{ path, target: readlinkSync(path) }] : [],
  );
}

/** `/var/run` and the like; other links lead to paths that are hidden with them. */
function linksInto(directory: string, looks: Looks): MachineView['links'] {
  const paths = listKnown(listNames(directory)).map((name) => join(directory, name));
  return linksAmong(paths, looks).filter(
    ({ path, target }) => dirname(path) === '/var' && /^(?:\.\.)?\/?run(?:\/|$)/.test(target),
  );
}

/** Unreadable and empty paths, and a password file without passwords, need no cover: each costs a command time. */
function hides(path: string, looks: Looks, isRoot: boolean): boolean {
  const found = looks.at(path);
  if (!found?.isFile()) return found?.isDirectory() === true;
  if (found.size === 0 || (!isRoot && !isReadable(path))) return false;
  return !/^g?shadow-?$/.test(basename(path)) || holdsPasswords(path);
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** A second field without a hash means that no user can log in with a password. */
function holdsPasswords(path: string): boolean {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.some((line) => /^[^:]*:[^:]*[A-Za-z0-9]/.test(line) && !/^[^:]*:x:/.test(line));
  } catch {
    return true;
  }
}
