import { isAbsolute } from 'node:path';
import { formatStamp } from '../lib/files/change-time.ts';
import { statEntry } from '../lib/files/entry-at.ts';
import { type DirectoryEntry, listEntries } from '../lib/files/exact-files.ts';
import { join } from '../lib/files/exact-paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { gitGuarded } from './git-guarded.ts';
import { findGitRuns, findRepository } from './git-runs.ts';
import type { GitScopes } from './git-scopes.ts';
import { FollowLinks, type LedPlace } from './led-places.ts';
import { listNames, listProtected } from './list-protected.ts';
import { isVendor } from './look-names.ts';
import { foldName } from './paths.ts';
import { holders, protectedName } from './protected-names.ts';

/** Directories of a workspace in which protected names are looked for: two milliseconds. */
const maxDirectories = 1000;
/** In the home some protected directories hold thousands. */
const maxInHome = 100;
/** One line of a shell may write many files. */
const freshMs = 1000;

/**
 * Answers which real files are protected because something protected leads to them: what is in a protected directory of the
 * workspace, what git's configuration names, and the user's own configuration. File tools, the shell's judge, landing and
 * the sandbox ask it. What is there is never written by commands, so it is read again only when it changed.
 */
export class ProtectedTargets {
  readonly links = new FollowLinks();
  readonly #folders = new Map<string, Content>();
  readonly #known = new Map<string, { at: number; places: readonly LedPlace[] }>();

  constructor(
    private readonly scopes: GitScopes,
    /** The harness's own directory. */
    private readonly home: string | undefined,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** From anywhere below these directories, as far as there are not too many, and from the user's own files. */
  find(roots: readonly string[]): readonly LedPlace[] {
    const key = roots.join('\0');
    const before = this.#known.get(key);
    const at = this.now();
    if (before && at - before.at < freshMs) return before.places;
    const places = [...this.links.from(this.#listOrigins(roots)), ...this.ofUser()];
    this.#known.set(key, { at, places });
    return places;
  }

  /** Of the user's configuration: each file and directory of it, and what links in them lead to. */
  ofUser(): LedPlace[] {
    const origins = this.#listUserFiles();
    const own = origins.map((by) => ({ path: resolveRealPath(by), by, way: [] }));
    // Programs are the user's own work as often as not, and building them replaces them.
    return [...own, ...this.links.from(origins, maxInHome)].filter(({ by }) => !isProgram.test(by));
  }

  #listUserFiles(): string[] {
    const { userHome, environment } = this.scopes.around;
    const { XDG_CONFIG_HOME: config, ZDOTDIR: zsh } = environment;
    const runs = findGitRuns({ top: userHome, gitDirectories: [] }, this.scopes).map(({ path }) => path);
    const moved = (directory: string) =>
      listNames(directory)
        .filter((name) => protectedName(`/.config/${name}`) !== undefined)
        .map((name) => join(directory, name));
    return [
      ...(this.home === undefined ? [] : [this.home]),
      ...listProtected(userHome),
      ...(config && isAbsolute(config) && config !== join(userHome, '.config') ? moved(config) : []),
      ...(zsh && isAbsolute(zsh) ? listProtected(zsh) : []),
      ...this.scopes.listUserFiles(),
      // What is named relative to a work tree is looked for there.
      ...runs.filter((path) => path !== userHome),
    ];
  }

  /** Protected names, repositories' own files and what their configurations name, level by level. */
  #listOrigins(roots: readonly string[]): string[] {
    const waiting = roots.map(resolveRealPath) as string[];
    const origins: string[] = [];
    for (let at = 0; at < waiting.length && at < maxDirectories; at++) {
      const directory = waiting[at] ?? '';
      const { folders, own, mayBeRepository } = this.#read(directory);
      waiting.push(...folders);
      origins.push(...own);
      const repository = mayBeRepository ? findRepository(directory) : undefined;
      if (!repository) continue;
      origins.push(...repository.gitDirectories.flatMap(gitGuarded));
      origins.push(...findGitRuns(repository, this.scopes).map(({ path }) => path));
    }
    return origins;
  }

  #read(directory: string): Content {
    const stat = statEntry(directory);
    const stamp = stat && formatStamp(stat);
    const before = this.#folders.get(directory);
    if (before && stamp !== undefined && before.stamp === stamp) return before;
    const entries = readEntries(directory);
    const names = entries.map(({ name }) => foldName(name));
    const own = listProtected(directory);
    const content = {
      ...{ stamp, own, mayBeRepository: names.includes('.git') || names.includes('head') },
      folders: entries
        .filter((entry) => entry.isDirectory() && !isVendor(entry.name))
        .map(({ name }) => join(directory, name))
        .filter((path) => !own.includes(path)),
    };
    // Of two names that are protected together the second may come later, which changes nothing here.
    if (!names.some((name) => holders.has(name))) this.#folders.set(directory, content);
    return content;
  }
}

const isProgram = /\/bin(?:\/[^/]+)?$/;

interface Content {
  readonly stamp: string | undefined;
  readonly folders: readonly string[];
  readonly own: readonly string[];
  readonly mayBeRepository: boolean;
}

function readEntries(directory: string): DirectoryEntry[] {
  try {
    return listEntries(directory);
  } catch {
    return [];
  }
}
