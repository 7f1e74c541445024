import type { Stats } from 'node:fs';
import { dirname, isAbsolute, relative } from 'node:path';
import { breather } from '../../lib/breathe.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { hashBytes } from '../../lib/hash.ts';
import { formatError } from '../../lib/result.ts';
import type { WorkspaceLook } from '../../protocol/receipt.ts';
import { findRoot } from '../../workspace/workspace.ts';
import { listEntries } from './directories.ts';
import { statEntry } from './entry.ts';
import { IgnoreRules } from './ignore.ts';
import { type Listing, listFiles } from './listing.ts';

export interface LaterChanges {
  /** Directories of work. */
  directories: readonly string[];
  /** Milliseconds since 1970. */
  since: number;
  /** When commands ran that may write what git ignores, such as their caches. */
  spared: readonly { from: number; to: number }[];
  /** What is known of files from before: a hash of the content, or null where there was none. */
  known: ReadonlyMap<string, string | null | undefined>;
  /** Files that were there before. */
  names: Iterable<string>;
  /** The user's home and ours: a whole one is not a workspace, and what we write there is not work. */
  userHome: string;
  home: string;
  env: Record<string, string>;
  maxFiles?: number;
}

const defaultMaxFiles = 20_000;
const maxMs = 30_000;
/** Newer ones come first. */
const maxChanged = 200;
const maxCompared = 50 * 1024 * 1024;
const worktrees = '/.cadre/worktrees/';
/** Of what git ignores: names of caches and logs, which say nothing about the work. */
const isCache =
  /cache|\.(?:log|tmp|swp|pid|pyc|tsbuildinfo|coverage)$|^(?:lcov\.info|\.coverage|\.DS_Store)$|~$/i;

/**
 * What has changed in some directories since a time, whoever did it: told by the times of last changes, which no program can set.
 * It needs no earlier look, so it holds after a restart and in any worktree. Where it cannot see everything, it says so.
 */
export async function findChangedSince(given: LaterChanges): Promise<WorkspaceLook> {
  const { directories, userHome } = given;
  const whole = directories.find((path) => path === '/' || path === userHome);
  if (whole !== undefined)
    return { changed: [], unseen: `${whole} is too much to be looked at as a working directory` };
  try {
    return await look(given);
  } catch (error) {
    return { changed: [], unseen: `the files could not be listed: ${formatError(error)}` };
  }
}

async function look(given: LaterChanges): Promise<WorkspaceLook> {
  const { directories, maxFiles = defaultMaxFiles, env } = given;
  const missed: string[] = [];
  // Of a repository as a whole, since its rules say which files are no work.
  const roots = [...new Set(directories.map((path) => findRoot(path) ?? path))];
  const listing = await listFiles(roots, {
    ...{ env, maxFiles, prefersNew: true, signal: AbortSignal.timeout(maxMs) },
    isApart: (path) => isApart(path, given),
    ignore: new IgnoreRules(),
    miss: (reason) => missed.push(reason),
  });
  if (listing.isCut) missed.push(`only ${maxFiles} files are looked at`);
  if (listing.leftOut.length > 0) missed.push('there are too many nested repositories');
  if (listing.oddNames > 0) missed.push('some names are not valid UTF-8');
  const found = await compare(listing, given);
  found.sort((one, other) => other.time - one.time);
  if (found.length > maxChanged) missed.push(`more than ${maxChanged} files have changed`);
  return {
    changed: found.slice(0, maxChanged).map(({ path, time }) => ({ path, at: toIso(time) })),
    ...(missed[0] === undefined ? {} : { unseen: missed[0] }),
  };
}

interface Found {
  path: string;
  time: number;
}

async function compare({ files }: Listing, given: LaterChanges): Promise<Found[]> {
  const { directories, since, known, names } = given;
  const isWanted = (path: string) => directories.some((directory) => isWithin(directory, path));
  const found: Found[] = [];
  const around = new Set(directories);
  const breathe = breather();
  const paths = new Set([...files.keys(), ...known.keys(), ...names].filter(isWanted));
  for (const path of paths) {
    await breathe();
    for (let up = dirname(path); isWanted(up) && !around.has(up); up = dirname(up)) around.add(up);
    const stat = statEntry(path);
    const time = stat ? stat.ctimeMs : findRemoval(path, given);
    if (time > since && !isAsKnown(path, stat, known)) found.push({ path, time });
  }
  for (const directory of around) {
    await breathe();
    found.push(...listIgnored(directory, paths, given));
  }
  return found;
}

/** A tracked file that is not there, or one that was known to be there, was removed when its directory last changed, or before. */
function findRemoval(path: string, { known }: LaterChanges): number {
  if (known.get(path) === null) return 0;
  for (let up = dirname(path); ; up = dirname(up)) {
    const stat = statEntry(up);
    if (stat?.isDirectory()) return stat.ctimeMs;
    if (up === dirname(up)) return 0;
  }
}

/** Only touched, or written again as it was. */
function isAsKnown(path: string, stat: Stats | undefined, known: LaterChanges['known']): boolean {
  const before = known.get(path);
  if (before === undefined) return false;
  if (!stat) return before === null;
  const read = stat.isFile() ? readBounded(path, maxCompared, { refusesLinks: true }) : undefined;
  return read?.state === 'read' && hashBytes(read.bytes) === before;
}

/** Plain files beside the work that git ignores, such as `.env`. Whole ignored directories hold what is installed or built. */
function listIgnored(directory: string, listed: ReadonlySet<string>, given: LaterChanges): Found[] {
  return (listEntries(directory, () => {}) ?? []).flatMap(({ path, isDirectory }) => {
    if (isDirectory || listed.has(path) || isCache.test(path.slice(directory.length + 1))) return [];
    const stat = statEntry(path);
    const time = stat?.isFile() && !isApart(path, given) ? stat.ctimeMs : 0;
    const isSpared = given.spared.some(({ from, to }) => from <= time && time <= to);
    return time > given.since && !isSpared ? [{ path, time }] : [];
  });
}

/** What we write ourselves, and other agents' worktrees. */
function isApart(path: string, { directories, home }: LaterChanges): boolean {
  const isBelow = (top: string) => path === top || path.startsWith(`${top}/`);
  if (isBelow(home)) return !directories.some((one) => one.startsWith(`${home}/`) && isBelow(one));
  return (
    `${path}/`.includes(worktrees) && !directories.some((one) => one.includes(worktrees) && isBelow(one))
  );
}

function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/** Down to the millisecond: what changed in the one in which a command ended is still the command's. */
function toIso(time: number): string {
  return new Date(Math.floor(time)).toISOString();
}
