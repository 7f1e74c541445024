import type { Stats } from 'node:fs';
import { readlinkSync } from '../../lib/files/exact-files.ts';
import { basename, dirname, join, pathBytes } from '../../lib/files/exact-paths.ts';
import { readReal } from '../../lib/files/open-real.ts';
import { type RealPath, RealPlaces } from '../../lib/files/real-places.ts';
import { listKnown, untold } from '../../lib/told.ts';
import { gitGuarded } from '../../places/git-guarded.ts';
import { isBelow, listNames } from './look.ts';

/** A file, link or directory as it was; a missing path is recorded too. */
export interface Copy {
  readonly path: string;
  readonly kind: 'file' | 'link' | 'directory' | 'nothing';
  readonly ctime: number;
  readonly mode: number;
  /** For a file that is not too large; or the target of a link. */
  readonly content?: Buffer;
}

export interface KeptChanges {
  /** Changed or missing. */
  changed: Copy[];
  /** Exist now but did not before. */
  foreign: string[];
}

interface Comparison {
  since: number;
  byContent: boolean;
  places: RealPlaces;
}

const maxCopies = 500;
const maxBytes = 16 * 1024 * 1024;

/**
 * Copies of protected paths that have no mount: each mount costs every command time, a stat next to none. Changes by a
 * command are undone when it has ended. Beyond a limit they are not kept: each completely or not at all, since a file missing
 * among the copies of a directory would be taken for a command's.
 */
export class Kept {
  readonly #copies = new Map<string, Copy>();
  /** The paths to keep, by identity. */
  readonly #tops = new Map<string, number>();
  #bytes = 0;

  /** Whether it is still the one that was copied. */
  holds(path: string): boolean {
    return this.#tops.has(path) && this.#tops.get(path) === entryAt(path)?.ino;
  }

  /** For a repository only the paths that git runs or is controlled by. */
  keep(path: string): void {
    const name = basename(path);
    const isGit = name === 'HEAD' || (name === '.git' && entryAt(path)?.isDirectory() === true);
    const kept = isGit ? gitGuarded(findGitPlace(path)) : [path];
    if (!kept.every((one) => this.#copyAll(one))) {
      for (const one of kept) this.#giveUp(one);
      return;
    }
    const stat = entryAt(path);
    if (stat) this.#tops.set(path, stat.ino);
  }

  /**
   * Changes since then. Earlier changes are the user's work and are kept from now on. `byContent`: also reads files whose
   * times did not change, since a write through a mapping need not change them.
   */
  changesSince(since: number, byContent = false): KeptChanges {
    const changes: KeptChanges = { changed: [], foreign: [] };
    const places = new RealPlaces();
    try {
      for (const copy of [...this.#copies.values()])
        if (this.#copies.get(copy.path) === copy) this.#compare(copy, { since, byContent, places }, changes);
    } finally {
      places.close();
    }
    return changes;
  }

  /** Before a command, when no other one runs: all changes so far are the user's work. */
  takeAsUsers(): void {
    this.changesSince(Number.POSITIVE_INFINITY);
  }

  #compare(copy: Copy, { since, byContent, places }: Comparison, { changed, foreign }: KeptChanges): void {
    const { path } = copy;
    const now = entryAt(path, places);
    if (!now) {
      if (copy.kind === 'nothing') return;
      if (changeAround(path) >= since) changed.push(copy);
      else {
        this.#forget(copy);
        // The next file there may get the same number.
        this.#tops.delete(path);
      }
    } else if (now.ctimeMs !== copy.ctime) {
      if (now.ctimeMs < since) this.#copyAgain(path);
      else if (copy.kind === 'nothing') foreign.push(path);
      else if (copy.kind === 'directory' && now.isDirectory()) {
        foreign.push(...this.#unknownIn(path));
        this.#identify(path, now);
      } else if (!isSame(copy, now)) changed.push(copy);
      else this.#copyAgain(path);
    } else if (byContent && copy.kind === 'file' && !holdsStill(copy, places)) changed.push(copy);
  }

  #unknownIn(directory: string): string[] {
    return listKnown(listNames(directory))
      .map((name) => join(directory, name))
      .filter((path) => !this.#copies.has(path));
  }

  /** Files that have become too large are no longer kept. */
  #copyAgain(path: string): void {
    if (!this.#copyAll(path)) this.#giveUp(path);
  }

  /** Along with everything it is part of. */
  #giveUp(path: string): void {
    const around = [...this.#tops.keys()].map(findGitPlace).filter((place) => isBelow(path, place));
    for (const place of [path, ...around]) {
      for (const top of [...this.#tops.keys()]) if (isBelow(findGitPlace(top), place)) this.#tops.delete(top);
      for (const copy of [...this.#copies.values()]) if (isBelow(copy.path, place)) this.#forget(copy);
    }
  }

  /** Whether there was room for all of it. */
  #copyAll(path: string): boolean {
    if (this.#copies.size >= maxCopies && !this.#copies.has(path)) return false;
    const stat = entryAt(path);
    this.#identify(path, stat);
    const copy = copyEntry(path, stat, maxBytes - this.#bytes);
    this.#forget(this.#copies.get(path));
    this.#bytes += copy.content?.length ?? 0;
    this.#copies.set(path, copy);
    if (copy.kind !== 'directory') return true;
    const names = listNames(path);
    return names !== untold && names.every((name) => this.#copyAll(join(path, name)));
  }

  #identify(path: string, stat: Stats | undefined): void {
    if (stat && this.#tops.has(path)) this.#tops.set(path, stat.ino);
  }

  #forget(copy: Copy | undefined): void {
    if (!copy) return;
    this.#bytes -= copy.content?.length ?? 0;
    this.#copies.delete(copy.path);
  }
}

/** A git directory without that name is known by its head. */
export function findGitPlace(top: string): string {
  return basename(top) === 'HEAD' ? dirname(top) : top;
}

/**
 * The entry at a path that has no links in it. A command can put a link in the place of a directory above: paths behind it
 * must not be kept, or their content would be restored where the command can read it.
 */
function entryAt(path: string, lent?: RealPlaces): Stats | undefined {
  const places = lent ?? new RealPlaces();
  try {
    const found = places.look(path as RealPath);
    return found.state === 'found' ? found.value : undefined;
  } finally {
    if (!lent) places.close();
  }
}

/** Whether a file with unchanged times has its old content. One that was too large to be kept is not read. */
function holdsStill({ path, content }: Copy, places: RealPlaces): boolean {
  if (content === undefined) return true;
  const read = readReal(path as RealPath, content.length + 1, { places });
  return read.state === 'found' && read.value.bytes?.equals(content) === true;
}

/** The present state of a path, with its content unless that is larger. */
export function takeCopy(path: string, maxContent: number): Copy {
  return copyEntry(path, entryAt(path), maxContent);
}

function copyEntry(path: string, stat: Stats | undefined, maxNow: number): Copy {
  if (!stat) return { path, kind: 'nothing', ctime: 0, mode: 0 };
  const { ctimeMs: ctime, mode } = stat;
  if (stat.isDirectory()) return { path, kind: 'directory', ctime, mode };
  const kind = stat.isSymbolicLink() ? 'link' : 'file';
  const content = stat.size <= maxNow ? readContent(path, stat) : undefined;
  return { path, kind, ctime, mode, ...(content ? { content } : {}) };
}

function readContent(path: string, stat: Stats): Buffer | undefined {
  try {
    if (stat.isSymbolicLink()) return pathBytes(readlinkSync(path));
    if (!stat.isFile()) return undefined;
    const read = readReal(path as RealPath, maxBytes);
    return read.state === 'found' ? read.value.bytes : undefined;
  } catch {
    return undefined;
  }
}

function isSame({ kind, mode, content, path }: Copy, now: Stats): boolean {
  const isKind = kind === 'link' ? now.isSymbolicLink() : now.isFile();
  return (
    isKind && now.mode === mode && content !== undefined && readContent(path, now)?.equals(content) === true
  );
}

/** The change time of the nearest existing directory above. */
function changeAround(path: string): number {
  for (let up = dirname(path); ; up = dirname(up)) {
    const stat = entryAt(up);
    if (stat || up === '/') return stat?.ctimeMs ?? 0;
  }
}
