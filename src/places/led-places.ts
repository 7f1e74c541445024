import type { Stats } from 'node:fs';
import { isSettled } from '../lib/files/change-time.ts';
import { statEntry, statTarget } from '../lib/files/entry-at.ts';
import { listEntries } from '../lib/files/exact-files.ts';
import { basename, dirname, join } from '../lib/files/exact-paths.ts';
import { isGitDirectory } from '../workspace/git/directory.ts';
import { isWithin } from '../workspace/paths.ts';
import { followWay, openRealPaths } from '../workspace/real-path.ts';
import { gitGuarded } from './git-guarded.ts';

/** Where a protected or secret path leads by links: its name alone does not say which file is meant. */
export interface LedPlace {
  /** Where it ends, whether anything is there or not. */
  readonly path: string;
  /** The name by which programs find it. */
  readonly by: string;
  /** Every name on the way, each in its real directory. */
  readonly way: readonly string[];
}

/** What is in a directory that may lead elsewhere. */
interface Content {
  readonly links: readonly string[];
  readonly folders: readonly string[];
}

/** Each is looked at before every command: two microseconds. */
const maxFolders = 200;
const maxLinks = 500;

/**
 * Follows links: those at these paths, those on the way to them, and those in directories at and below them. What is
 * protected or secret by its name is so where it leads, too. The top levels come first: of a directory with very many others
 * in it the deepest are not looked at. A directory is read again only when it changed.
 */
export class FollowLinks {
  readonly #known = new Map<string, Content & KnownState>();

  from(origins: readonly string[], limit = maxFolders): LedPlace[] {
    const found = new Map<string, LedPlace>();
    const seen = new Set(origins);
    const waiting = [...seen];
    const given = waiting.length;
    const real = openRealPaths();
    const enter = (path: string) => {
      if (!seen.has(path)) waiting.push(path);
      seen.add(path);
    };
    const lead = (by: string) => {
      // Where it depends on the process, ours is the best guess of what git, an editor or a shell will find.
      const { ownEnd: end, names } = followWay(by);
      // A directory around it is not part of it.
      if (end === undefined || end === by || isWithin(by, end) || found.size >= maxLinks) return;
      found.set(by, { path: end, by, way: names });
      enter(end);
    };
    for (let at = 0, left = limit; at < waiting.length && left > 0; at++) {
      const path = waiting[at] ?? '';
      const stat = statEntry(path);
      const isBehind = at < given && real(dirname(path)) !== dirname(path);
      if (isBehind || stat?.isSymbolicLink()) lead(path);
      if (!stat?.isDirectory()) continue;
      left--;
      const { links, folders } = this.#read(path, stat);
      for (const link of links) lead(link);
      for (const folder of folders) enter(folder);
    }
    return [...found.values()];
  }

  #read(directory: string, stat: Stats): Content {
    const before = this.#known.get(directory);
    if (before && isUnchanged(stat, before)) return before;
    const content = { ...noteState(stat), ...readContent(directory) };
    this.#known.set(directory, content);
    return content;
  }
}

/** A directory when it was read. */
export interface KnownState {
  readonly node: number;
  /** Its change time; zero where another change could still have the same one. */
  readonly time: number;
}

export function noteState({ ino, ctimeMs }: Stats): KnownState {
  return { node: ino, time: isSettled(ctimeMs) ? ctimeMs : 0 };
}

/** Whether no name was added to it, removed or replaced since. */
export function isUnchanged({ ino, ctimeMs }: Stats, { node, time }: KnownState): boolean {
  return ctimeMs === time && ino === node;
}

function readContent(directory: string): Content {
  // Objects and references lead nowhere, and there may be thousands.
  if (isGitDirectory(directory)) return sortGuarded(directory);
  try {
    const entries = listEntries(directory);
    const named = (some: typeof entries) => some.map(({ name }) => join(directory, name));
    const isOwn = ownNames.includes(basename(directory));
    return {
      links: named(entries.filter((entry) => entry.isSymbolicLink())),
      folders: named(
        entries.filter((entry) => entry.isDirectory() && (!isOwn || ownFolders.includes(entry.name))),
      ),
    };
  } catch {
    return { links: [], folders: [] };
  }
}

/** The directories of coding agents also hold sessions, worktrees and caches. */
const ownNames = ['.cadre', '.claude'];
const ownFolders = [
  ...['agents', 'skills', 'commands', 'rules', 'hooks', 'plugins', 'output-styles', 'bin', 'providers'],
  ...['agent-memory', 'agent-memory-local'],
];

function sortGuarded(directory: string): Content {
  const paths = [...gitGuarded(directory), join(directory, 'modules')];
  const isLink = (path: string) => statEntry(path)?.isSymbolicLink() === true;
  // Of `info/exclude`, too, the directory may be a link.
  const above = [...new Set(paths.map(dirname))].filter((path) => path !== directory);
  return {
    links: [...paths, ...above].filter(isLink),
    folders: paths.filter((path) => !isLink(path) && statTarget(path)?.isDirectory()),
  };
}
