import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../lib/clock.ts';
import { statEntry } from '../lib/files/entry-at.ts';
import { isLossy } from '../lib/text/utf8.ts';
import { mapTold, type Told, untold } from '../lib/told.ts';
import { listFolder } from '../places/entries.ts';
import { openGitFiles } from '../places/git-opened.ts';
import { openOwnPrograms } from '../places/git-own-programs.ts';
import { openRemotes } from '../places/git-remotes.ts';
import { GitScopes } from '../places/git-scopes.ts';
import { lookAtExclude, lookAtUserExcludes, lookHeededAbove, lookHeededBelow } from '../places/heeded.ts';
import { listHomeCredentials } from '../places/home-credentials.ts';
import type { Carried, Look } from '../places/look.ts';
import { lookAtVendored, lookBelow } from '../places/look-below.ts';
import { listHeld } from '../places/look-held.ts';
import { indexNames, lookAtNames, maxEntries } from '../places/look-names.ts';
import { mayMatchName } from '../places/name-pattern.ts';
import type { PlainFolders } from '../workspace/git/data.ts';
import { findEmbeddedRepository } from '../workspace/git/embedded.ts';
import { openTrackedFiles } from '../workspace/git/git-index.ts';
import { findStore, listStores } from '../workspace/git/object-stores.ts';
import { hasNotes, openHeldBySome, openObjectKinds } from '../workspace/git/objects.ts';
import { openPast } from '../workspace/git/past.ts';
import { isUsedByGit } from '../workspace/git/recognised.ts';
import { findGitStray } from '../workspace/git/stays.ts';
import { isWithin } from '../workspace/paths.ts';
import { followWay, isFollowed, openRealPaths, resolveRealPath } from '../workspace/real-path.ts';
import { systemPath } from '../workspace/search-path.ts';
import { findRoot } from '../workspace/workspace.ts';
import { describeOther, findKind, type Programs } from './programs.ts';

const maxPaths = 5000;
const maxCarried = 2000;
const freshMs = 1000;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the real file system. `roots` are where credential files with several names are searched, and git is found by the
 * environment. Each decision reads again, since the call before may have changed files. With a clock, results are valid for a
 * second: only for a batch of commands that are not run.
 */
export function lookAtFiles(
  roots: readonly string[],
  clock?: Clock,
  environment: Environment = { PATH: systemPath },
  programs: () => Programs = () => ({
    ...{ path: environment.PATH ?? '', isWhole: true, userHome: environment.HOME || '/' },
  }),
): Look {
  const given = { git: openGit(environment, clock ?? systemClock, roots), programs, environment };
  if (clock) return lookOnce(roots, given, keepFresh(clock));
  return { ...lookOnce(roots, given, (look) => look), open: () => lookOnce(roots, given, keepAll) };
}

type Keep = <T>(look: (place: string) => T) => (place: string) => T;

interface Given {
  readonly git: ReturnType<typeof openGit>;
  /** Where commands find their programs. */
  programs(): Programs;
  readonly environment: Environment;
}

function lookOnce(roots: readonly string[], { git: known, programs, environment }: Given, keep: Keep): Look {
  const { plain, submodules, isSparse, isSafe, ...git } = known;
  const kinds = keep((name) => findKind(name, programs()));
  const below = keep((directory: string) => lookBelow(directory, environment));
  const heededBelow = keep(lookHeededBelow);
  const heeded = (directory: string, from: readonly string[]) =>
    mapTold(heededBelow(directory), ({ files, repositories }) => [
      ...files,
      ...repositories.flatMap((one) => lookAtExclude(one, from)),
      ...lookHeededAbove(directory, from),
      ...lookAtUserExcludes(environment, from),
    ]);
  const names = lookAtNames(roots, {
    index: keep(indexNames),
    credentials: (root) => mapTold(below(root), ({ credentials }) => credentials),
    homeCredentials: () => (environment.HOME ? listHomeCredentials(environment.HOME, environment) : []),
    keep,
  });
  // In a workspace too large to search, the names of git's own files are not compared with those of others.
  const namesTold = (path: string) => {
    const found = names.otherNames(path);
    return found === untold ? [] : found;
  };
  return {
    ...{
      expand,
      below,
      vendored: keep(lookAtVendored),
      held: keep(listHeld),
      heeded,
      carried,
      isDirectory,
      way: followWay,
    },
    ...{ ...git, ...names },
    findCheckout: findRoot,
    findStore: keep(findStore),
    storesBelow: keep((directory) =>
      mapTold(below(directory), ({ directories }) => listStores([directory, ...directories])),
    ),
    otherProgram: (name, directories, around) =>
      describeOther(name, kinds(name), programs(), { directories, roots: around }),
    gitStray: (directory, command) =>
      findGitStray(directory, {
        ...command,
        ...{ plain, submodules, isSparse, isSafe, otherNames: namesTold },
      }),
  };
}

/** Cached facts about repositories are keyed by the state of their own files. */
function openGit(environment: Environment, clock: Clock, roots: readonly string[]) {
  const { files, submodules, isSparse } = openTrackedFiles();
  const plain: PlainFolders = new Map();
  const around = { environment, userHome: environment.HOME || '/' };
  const isSafe = (root: string) => new GitScopes(around).isSafe(root);
  // Of a repository that git passes over, nothing is known.
  const kept = (directory: string) =>
    (isUsedByGit(directory, isSafe) ? files(directory) : undefined) ?? untold;
  const tracked = (directory: string) => byBothNames(directory, kept);
  return {
    tracked,
    past: openPast(environment, clock),
    objectKinds: openObjectKinds(environment),
    heldBySome: openHeldBySome(environment),
    embeddedRepository: findEmbeddedRepository,
    otherRepositories: openRemotes(around),
    ownProgram: openOwnPrograms(around, submodules),
    gitOpens: openGitFiles({ ...around, roots, tracked }),
    isSafe,
    ...{ hasNotes, plain, submodules, isSparse },
  };
}

/** Git finds its repository by where links lead. What is below the directory is listed by the directory's own name as well. */
function byBothNames(
  directory: string,
  look: (real: string) => Told<readonly string[]>,
): Told<readonly string[]> {
  const real = resolveRealPath(directory);
  if (real === directory || !isFollowed(directory, real)) return look(directory);
  return mapTold(look(real), (paths) => {
    const below = paths.filter((path) => isWithin(path, real));
    return [...paths, ...below.map((path) => directory + path.slice(real.length))];
  });
}

/** One look at each place. */
function keepAll<T>(look: (place: string) => T): (place: string) => T {
  const seen = new Map<string, T>();
  return (place) => {
    const before = seen.get(place);
    if (before !== undefined || seen.has(place)) return before as T;
    const found = look(place);
    seen.set(place, found);
    return found;
  };
}

/** For a batch, in which many commands in a row read the same directory. */
function keepFresh(clock: Clock): Keep {
  return (look) => {
    const seen = new Map<string, { at: number; found: ReturnType<typeof look> }>();
    return (directory) => {
      const before = seen.get(directory);
      const now = clock.monotonic();
      if (before && now - before.at < freshMs) return before.found;
      const found = look(directory);
      if (seen.size > 100) seen.clear();
      seen.set(directory, { at: now, found });
      return found;
    };
  };
}

function carried(root: string): Told<Carried> {
  const paths: string[] = [];
  const waiting = [''];
  const own = statEntry(root);
  let hasLinks = own?.isSymbolicLink() === true;
  let hasNames = hasSeveral(own);
  for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop()) {
    const entries = hasLinks ? [] : listFolder({ path: join(root, inner) }, 'untold');
    if (entries === untold) return untold;
    for (const entry of entries) {
      const path = join(inner, entry.name);
      paths.push(path);
      if (paths.length > maxCarried) return untold;
      hasLinks ||= entry.isSymbolicLink();
      if (entry.isDirectory()) waiting.push(path);
      hasNames ||= entry.isFile() && hasSeveral(statEntry(join(root, path)));
    }
  }
  return { paths, hasLinks, hasNames };
}

/** Piece by piece. `**` means what bash takes it for without `globstar`: a star. */
function expand(directory: string, pattern: string): Told<readonly string[]> {
  let paths = [directory];
  let left = maxEntries;
  const real = openRealPaths();
  for (const piece of pattern.split('/').filter((one) => one !== '')) {
    const next: string[] = [];
    for (const path of paths) {
      // The target of such a name is unknown, and so is what the command finds there: the name itself is judged.
      if (isLossy(path) || !isFollowed(path, real(path))) {
        next.push(path);
        continue;
      }
      if (!/[*?[\\]/.test(piece)) {
        next.push(join(path, piece));
        continue;
      }
      const names = mapTold(listFolder({ path }), (entries) => entries.map((entry) => entry.name));
      if (names === untold) return untold;
      left -= names.length;
      if (left < 0) return untold;
      // Without a dot at its beginning a pattern matches no dot name.
      const mayHide = piece.startsWith('.') || piece.startsWith('\\.');
      for (const name of names)
        if ((mayHide || !name.startsWith('.')) && mayMatchName(piece, name)) next.push(join(path, name));
    }
    if (next.length > maxPaths) return untold;
    paths = next;
  }
  return paths;
}

function hasSeveral(stat: Stats | undefined): boolean {
  return stat?.isFile() === true && stat.nlink > 1;
}

/** An unknown name may be one. */
function isDirectory(path: string): boolean {
  if (isLossy(path)) return true;
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
