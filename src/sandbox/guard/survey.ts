import type { Stats } from 'node:fs';
import { isSettled } from '../../lib/files/change-time.ts';
import type { DirectoryEntry } from '../../lib/files/exact-files.ts';
import { basename, dirname, join, joinName } from '../../lib/files/exact-paths.ts';
import { listKnown, untold } from '../../lib/told.ts';
import { formatIdentity } from '../../places/shared-files.ts';
import { fewPlaces, maxShared } from './few-places.ts';
import { isBelow, isClosed, readEntries, statEntry } from './look.ts';
import { isInGit, isInstalled, isProtectedName, isTooLong, sortEntries } from './names.ts';
import { type SharedFile, SharedNames } from './shared-names.ts';

/** Paths to guard deep in a workspace, which are not searched before each command. */
export interface GuardSurvey {
  /** Existing protected paths that can be mounted on, top ones first. */
  present: string[];
  /** Directories with a repository, or that are one. */
  repositories: string[];
  /** Protected paths and repositories that are too many for mounts, or came with packages: copies are kept of them. */
  unmounted: string[];
  /** Files, or directories with such files, that have another name outside: writing them would write there. */
  shared: string[];
  /** All files with several names. */
  names: SharedNames;
  /** Directories that cannot be searched: paths in them are too long, or they cannot be read. They are read-only. */
  unsearched: string[];
  /** All directories, as they were when they were read. */
  directories: Map<string, KnownDirectory>;
  /** The search was complete. */
  isWhole: boolean;
  /** Our own directory, which may be in the workspace: changes there are ignored. */
  apart: string;
}

/** The directory that was read at a path, and its change time; zero where that is unreliable. */
export interface KnownDirectory {
  readonly node: number;
  readonly time: number;
  /** For git's data: the links in it. Undefined elsewhere, and where it contains directories that are not searched. */
  readonly links?: readonly string[] | undefined;
}

/** Number of entries checked one by one for other names outside: a tenth of a second. */
const maxEntries = 40_000;
/** Number of known directories: two seconds. Those beyond it are not guarded. */
const maxDirectories = 200_000;
/** Each costs time at every command. */
const maxMounted = 30;
/** Yields to other work after this time. */
const sliceMs = 10;

/** Searched once a session, before the first command that can write: until then no command could hide anything. */
export async function surveyWorkspace(roots: readonly string[], apart: string): Promise<GuardSurvey> {
  const found: Found = {
    ...{ present: [], repositories: [], unmounted: [], unsearched: [], directories: new Map() },
    ...{ links: new Map(), seen: 0, apart },
  };
  const ahead = pickTopRoots(roots);
  let since = performance.now();
  // Level by level: the top matters most when there is too much.
  for (let at = 0; at < ahead.length && found.directories.size < maxDirectories; at++) {
    ahead.push(...lookInto(ahead[at] ?? '', found));
    if (performance.now() - since < sliceMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
  const outside = [...found.links.values()].filter(
    ({ paths, count }) => paths.length < count || paths.some(isProtected),
  );
  const { present, repositories, unmounted, directories } = found;
  return {
    present: present.slice(0, maxMounted),
    repositories: repositories.slice(0, maxMounted),
    unmounted: [
      ...present.slice(maxMounted),
      ...repositories.slice(maxMounted).map(locateGitDirectory),
      ...unmounted,
    ],
    directories,
    apart,
    isWhole: directories.size < maxDirectories,
    // An incomplete search would take names inside for names outside, and close what is being built.
    shared:
      found.seen < maxEntries
        ? fewPlaces(
            outside.flatMap(({ paths }) => paths),
            roots,
          ).slice(0, maxShared)
        : [],
    names: new SharedNames(found.links, roots),
    unsearched: fewPlaces(found.unsearched, roots),
  };
}

/** Without paths that others created, whose directories are read again when those have ended. */
export function leaveOut(survey: GuardSurvey, isOfOthers: (path: string) => boolean): void {
  const leave = (path: string) => {
    const known = survey.directories.get(dirname(path));
    if (known) survey.directories.set(dirname(path), { ...known, time: 0 });
  };
  const keep = (path: string) => {
    const isLeft = isOfOthers(path);
    if (isLeft) leave(path);
    return !isLeft;
  };
  survey.present = survey.present.filter(keep);
  survey.unmounted = survey.unmounted.filter(keep);
  survey.repositories = survey.repositories.filter((path) => keep(locateGitDirectory(path)));
}

/** A new one. */
export function addToSurvey(survey: GuardSurvey, path: string): void {
  if (isTooLong(path)) {
    if (!survey.unsearched.includes(path)) survey.unsearched.push(path);
    return;
  }
  const known = [...survey.present, ...survey.unmounted, ...survey.repositories.map(locateGitDirectory)];
  if (known.includes(path)) return;
  const isRepository = isRepositoryMark(path);
  const list = isRepository ? survey.repositories : survey.present;
  const isMounted = list.length < maxMounted && (isRepository || !isInstalled(path));
  if (isMounted) list.push(isRepository ? dirname(path) : path);
  else survey.unmounted.push(path);
}

/** As found in a directory: by its name, or by its head. */
export function locateGitDirectory(repository: string): string {
  const path = join(repository, '.git');
  return statEntry(path) === undefined ? join(repository, 'HEAD') : path;
}

/** A path by which a repository is found. */
export function isRepositoryMark(path: string): boolean {
  return basename(path) === '.git' || basename(path) === 'HEAD';
}

/** The git directories among the paths by which repositories are found; a file that leads to one is not followed. */
export function findGitDirectories(paths: readonly string[]): string[] {
  return paths
    .filter(isRepositoryMark)
    .map((path) => (basename(path) === 'HEAD' ? dirname(path) : path))
    .filter((path) => statEntry(path)?.isDirectory());
}

export function pickTopRoots(roots: readonly string[]): string[] {
  return roots.filter((root) => !roots.some((other) => other !== root && isBelow(root, other)));
}

interface Found {
  present: string[];
  repositories: string[];
  unmounted: string[];
  unsearched: string[];
  directories: Map<string, KnownDirectory>;
  /** Files with several names, by identity. */
  links: Map<string, SharedFile>;
  seen: number;
  apart: string;
}

/** Returns the directories to look into next. */
function lookInto(directory: string, found: Found): string[] {
  // Before reading: a change meanwhile will have a different time.
  const known = describeDirectory(statEntry(directory));
  const read = readEntries(directory);
  // What is in it cannot be guarded by name. Its owner's commands could open it.
  if (isClosed(directory) || (read === untold && statEntry(directory))) found.unsearched.push(directory);
  const entries = withoutOwn(directory, listKnown(read), found.apart);
  const { met, deeper, tooLong, links } = sortEntries(directory, entries);
  found.unsearched.push(...tooLong);
  found.directories.set(directory, { ...known, links });
  const isGit = isInGit(directory);
  for (const path of met) {
    const name = basename(path);
    if (isGit) continue;
    if (name === '.git' || name === 'HEAD') found.repositories.push(directory);
    else (isInstalled(path) ? found.unmounted : found.present).push(path);
    if (name === '.git') deeper.push(...asDirectory(path));
  }
  // Objects of a clone have names in other repositories, and are never written again.
  if (!isGit) for (const entry of entries) countNames(directory, entry, found);
  return deeper;
}

/** The entries of a directory except our own. */
export function withoutOwn(
  directory: string,
  entries: readonly DirectoryEntry[],
  apart: string,
): readonly DirectoryEntry[] {
  if (dirname(apart) !== directory) return entries;
  return entries.filter(({ name }) => name !== basename(apart));
}

/** Another name of a protected file would be a way to write it. */
function isProtected(path: string): boolean {
  return isProtectedName(dirname(path), basename(path));
}

function asDirectory(path: string): string[] {
  return statEntry(path)?.isDirectory() ? [path] : [];
}

/** Without a time where another change could still have the same one. */
export function describeDirectory(stat: Stats | undefined): KnownDirectory {
  if (!stat) return { node: 0, time: 0 };
  return { node: stat.ino, time: isSettled(stat.ctimeMs) ? stat.ctimeMs : 0 };
}

function countNames(directory: string, entry: DirectoryEntry, found: Found): void {
  if (++found.seen >= maxEntries || !entry.isFile()) return;
  const path = joinName(directory, entry.name);
  // A directory of mode 0444 lists names, but nothing else about them is known.
  const stat = statEntry(path);
  if (!stat || stat.nlink < 2) return;
  const key = formatIdentity(stat);
  const known = found.links.get(key) ?? { paths: [], count: stat.nlink };
  known.paths.push(path);
  found.links.set(key, known);
}
