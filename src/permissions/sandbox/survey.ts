import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mayBeProtected, protectedName } from '../protected.ts';
import { isBelow } from './look.ts';

/** What is to be guarded deep in a workspace, where nobody looks before each command. */
export interface Survey {
  /** Protected paths that are there, those on top first. */
  present: string[];
  /** Directories with a repository. */
  repositories: string[];
  /** Files, or directories with such files, that have another name outside: writing them would write there. */
  shared: string[];
}

/** So much is looked at: a tenth of a second. What is beyond is not guarded. */
const mostEntries = 40_000;
/** Each costs time at every command. */
const mostPresent = 30;
const mostShared = 20;

/** Looked through once a session, before the first command that can write: until then nobody could hide anything. */
export function surveyWorkspace(roots: readonly string[]): Survey {
  const found: Found = { present: [], repositories: [], links: new Map(), seen: 0 };
  const ahead = roots.filter((root) => !roots.some((other) => other !== root && isBelow(root, other)));
  // Level by level: what is on top counts most when there is too much.
  for (let at = 0; at < ahead.length && found.seen < mostEntries; at++)
    ahead.push(...lookInto(ahead[at] ?? '', found));
  const isWhole = found.seen < mostEntries;
  const outside = [...found.links.values()].filter(({ paths, count }) => paths.length < count);
  return {
    present: found.present.slice(0, mostPresent),
    repositories: found.repositories.slice(0, mostPresent),
    // Half a look would take names inside for names outside, and close what is being built.
    shared: isWhole
      ? fewPlaces(
          outside.flatMap(({ paths }) => paths),
          roots,
        )
      : [],
  };
}

interface Found {
  present: string[];
  repositories: string[];
  /** Files with several names, by identity. */
  links: Map<string, { paths: string[]; count: number }>;
  seen: number;
}

/** Returns the directories to look into next. */
function lookInto(directory: string, found: Found): string[] {
  const deeper: string[] = [];
  for (const entry of entriesOf(directory)) {
    found.seen++;
    const { name } = entry;
    const path = join(directory, name);
    if (name === '.git') found.repositories.push(directory);
    else if (mayBeProtected(name) && !isInstalled(directory) && protectedName(`/${name}`) !== undefined)
      found.present.push(path);
    else if (entry.isDirectory()) deeper.push(path);
    else if (entry.isFile()) countNames(path, found);
  }
  return deeper;
}

/** Packages bring settings along that nobody uses. */
function isInstalled(directory: string): boolean {
  return /\/(?:node_modules|site-packages|vendor)\//.test(`${directory}/`);
}

function countNames(path: string, { links }: Found): void {
  const stat = lstatSync(path, { throwIfNoEntry: false, bigint: false });
  if (!stat || stat.nlink < 2) return;
  const key = `${stat.dev} ${stat.ino}`;
  const known = links.get(key) ?? { paths: [], count: stat.nlink };
  known.paths.push(path);
  links.set(key, known);
}

/** Many files in one place are closed by the directories that hold them, never by a root. */
function fewPlaces(paths: readonly string[], roots: readonly string[]): string[] {
  let places = [...new Set(paths)];
  while (places.length > mostShared) {
    const deepest = Math.max(...places.map(depth));
    const climbed = places.map((path) =>
      depth(path) === deepest && !roots.includes(dirname(path)) ? dirname(path) : path,
    );
    const next = [...new Set(climbed)];
    if (next.length === places.length && next.every((path, index) => path === places[index]))
      return next.slice(0, mostShared);
    places = next;
  }
  return places;
}

function depth(path: string): number {
  return path.split('/').length;
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
