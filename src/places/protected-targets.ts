import { isAbsolute } from 'node:path';
import { statEntry } from '../lib/files/entry-at.ts';
import { join } from '../lib/files/exact-paths.ts';
import { listNames, readEntries } from '../lib/files/list-if-there.ts';
import { listKnown } from '../lib/told.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { gitGuarded } from './git-guarded.ts';
import { findGitRuns, findRepository } from './git-runs.ts';
import type { GitScopes } from './git-scopes.ts';
import { FollowLinks, isUnchanged, type KnownState, type LedPlace, noteState } from './led-places.ts';
import { findProtectedEntries } from './list-protected.ts';
import { isVendor } from './look-names.ts';
import { findOwnScripts } from './own-scripts.ts';
import { foldName } from './paths.ts';
import { holders, protectedName } from './protected-names.ts';

/** Directories of a workspace in which protected names are looked for: two milliseconds. */
const maxDirectories = 1000;
/** In the home some protected directories hold thousands. */
const maxInHome = 50;
/** One line of a shell may write many files, and commands follow each other. */
const freshMs = 1000;

/**
 * Answers which real files are protected because something protected leads to them: what is in a protected directory of the
 * workspace, what git's configuration names, and the user's own configuration. File tools, the shell's judge, landing and
 * the sandbox ask it. What is there is never written by commands, so it is read again only when it changed.
 */
export class ProtectedTargets {
  readonly links = new FollowLinks();
  readonly #folders = new Map<string, Content & KnownState>();
  readonly #inHome = new Map<string, { states: readonly [string, KnownState][]; found: readonly string[] }>();
  readonly #known = new Map<string, { at: number; places: readonly LedPlace[] }>();

  constructor(
    private readonly scopes: GitScopes,
    /** The harness's own directory. */
    private readonly home: string | undefined,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** From anywhere below these directories, as far as there are not too many, and from the user's own files. */
  find(roots: readonly string[]): readonly LedPlace[] {
    return this.#once(roots.join('\0'), () => [
      ...this.links.from(this.#listOrigins(roots)),
      ...this.ofUser(roots),
    ]);
  }

  /**
   * Of the user's configuration: each file and directory of it, and what links in them lead to. One that holds the workspace
   * is left out: who starts in `~/.config/nvim` means to work there.
   */
  ofUser(roots: readonly string[]): readonly LedPlace[] {
    return this.#once(`user\0${roots.join('\0')}`, () => {
      const origins = this.#listUserFiles().filter(
        (path) => path === this.home || !roots.some((root) => isWithin(root, path)),
      );
      const own = origins.map((by) => ({ path: by, by, way: [] }));
      // Programs are the user's own work as often as not, and building them replaces them.
      const led = [...own, ...this.links.from(origins, maxInHome)].filter(({ by }) => !isProgram.test(by));
      return [...led, ...this.#listScripts(roots)];
    });
  }

  /** Scripts in the workspace that Cadre itself runs, and what they lead to. */
  #listScripts(roots: readonly string[]): LedPlace[] {
    const { userHome, commands } = this.scopes.around;
    const own = commands?.() ?? [];
    if (own.length === 0) return [];
    const readWords = this.scopes.readWords.bind(this.scopes);
    const scripts = findOwnScripts(own, [...new Set(roots.map(resolveRealPath))], { userHome, readWords });
    return [...scripts, ...this.links.from(scripts.map(({ path }) => path))];
  }

  #once(key: string, find: () => readonly LedPlace[]): readonly LedPlace[] {
    const before = this.#known.get(key);
    const at = this.now();
    if (before && at - before.at < freshMs) return before.places;
    const places = find();
    this.#known.set(key, { at, places });
    return places;
  }

  #listUserFiles(): string[] {
    const { userHome, environment } = this.scopes.around;
    const { XDG_CONFIG_HOME: config, ZDOTDIR: zsh } = environment;
    const runs = findGitRuns({ top: userHome, gitDirectories: [] }, this.scopes).map(({ path }) => path);
    const moved = (directory: string) =>
      listKnown(listNames(directory))
        .filter((name) => protectedName(`/.config/${name}`) !== undefined)
        .map((name) => join(directory, name));
    return [
      ...(this.home === undefined ? [] : [this.home]),
      ...this.#listInHome(userHome),
      ...(config && isAbsolute(config) && config !== join(userHome, '.config') ? moved(config) : []),
      ...(zsh && isAbsolute(zsh) ? this.#listInHome(zsh) : []),
      ...this.scopes.listUserFiles(),
      // What is named relative to a work tree is looked for there.
      ...runs.filter((path) => path !== userHome),
    ];
  }

  /** Hundreds of names, hardly ever changed: read again when the directory was, or one whose name is half of a protected one. */
  #listInHome(directory: string): readonly string[] {
    const before = this.#inHome.get(directory);
    const isSame = ([path, state]: [string, KnownState]) => {
      const stat = statEntry(path);
      return stat !== undefined && isUnchanged(stat, state);
    };
    if (before?.states.every(isSame)) return before.found;
    const states: [string, KnownState][] = [[directory, noteDirectory(directory)]];
    const found = listKnown(
      findProtectedEntries(directory, (path) => {
        states.push([path, noteDirectory(path)]);
        return listNames(path);
      }),
    );
    this.#inHome.set(directory, { states, found });
    return found;
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
    const before = this.#folders.get(directory);
    if (before && stat && isUnchanged(stat, before)) return before;
    const entries = listKnown(readEntries(directory));
    const given = entries.map(({ name }) => name);
    const names = given.map(foldName);
    const own = listKnown(findProtectedEntries(directory, listNames, given));
    const content = {
      own,
      mayBeRepository: names.includes('.git') || names.includes('head'),
      folders: entries
        .filter((entry) => entry.isDirectory() && !isVendor(entry.name))
        .map(({ name }) => join(directory, name))
        .filter((path) => !own.includes(path)),
    };
    // Of two names that are protected together the second may come later, which changes nothing here.
    if (stat && !names.some((name) => holders.has(name)))
      this.#folders.set(directory, { ...noteState(stat), ...content });
    return content;
  }
}

/** A link may lead to another directory tomorrow. */
function noteDirectory(path: string): KnownState {
  const stat = statEntry(path);
  return stat?.isDirectory() ? noteState(stat) : { node: 0, time: 0 };
}

const isProgram = /\/bin(?:\/[^/]+)?$/;

interface Content {
  readonly folders: readonly string[];
  readonly own: readonly string[];
  readonly mayBeRepository: boolean;
}
