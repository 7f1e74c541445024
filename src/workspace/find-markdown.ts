import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { describeFileReason } from '../lib/files/files.ts';
import { readReal } from '../lib/files/open-real.ts';
import { describeOtherWriter } from '../lib/files/private-home.ts';
import { type RealPath, RealPlaces } from '../lib/files/real-places.ts';
import { fail, getErrorCode, ok, type Result } from '../lib/result.ts';
import { isWithin } from './paths.ts';
import { isPlainBelow } from './real-path.ts';

export interface FoundFile {
  path: string;
  /** The real path, after following links, that is read. */
  real: RealPath;
  /** The folders between the starting directory and the file. */
  folders: string[];
}

export interface FoundMarkdown {
  files: FoundFile[];
  problems: { file: string; reason: string }[];
  /** The directories that were read, or would have been. */
  directories: string[];
  /** A link was found below, whether or not it was followed. */
  hasLinks: boolean;
}

export interface FindLimits {
  /** Number of files and folders read; shared by searches of several places. */
  entries: number;
  /** The files to look for, instead of all `.md` files. A folder that contains one is not searched further. */
  only?: RegExp;
}

const maxDepth = 10;

/**
 * The `.md` files below a directory, in an order that depends on names only. Each directory is entered once, however many
 * links lead to it. A missing directory contains none; any other problem is reported.
 */
export function findMarkdown(
  directory: string,
  within: string | undefined,
  limits: FindLimits,
): FoundMarkdown {
  const finding: FoundMarkdown = { files: [], problems: [], directories: [directory], hasLinks: false };
  const top = readRealPath(directory);
  if (!top.ok) {
    if (top.problem !== '') finding.problems.push({ file: directory, reason: top.problem });
    return finding;
  }
  const bound = within === undefined ? undefined : readRealPath(within);
  finding.hasLinks = within !== undefined && !isPlainBelow(directory, within, top.value);
  const walk = new Walk(finding, bound?.ok ? bound.value : within, limits);
  if (walk.mayEnter(directory, top.value)) walk.enter(directory, top.value, []);
  walk.close();
  return finding;
}

class Walk {
  readonly #entered = new Set<string>();
  readonly #places = new RealPlaces();

  constructor(
    private readonly finding: FoundMarkdown,
    private readonly within: string | undefined,
    private readonly limits: FindLimits,
  ) {}

  enter(directory: string, real: RealPath, folders: string[]): void {
    const { only } = this.limits;
    const all = this.#read(directory, real);
    const own = folders.length > 0 ? all.find(({ name }) => only?.test(name)) : undefined;
    for (const entry of own ? [own] : all) {
      const path = join(directory, entry.name);
      if (this.limits.entries-- <= 0) {
        if (this.limits.entries === -1) this.#report(path, 'too many files; the rest is skipped');
        return;
      }
      const isLink = entry.isSymbolicLink();
      this.finding.hasLinks ||= isLink;
      const target = isLink ? this.#follow(path) : { kind: entry, real: join(real, entry.name) as RealPath };
      if (target?.kind.isDirectory()) this.#descend(path, target.real, isLink, [...folders, entry.name]);
      else if (target && (only ?? /\.md$/i).test(entry.name)) {
        if (target.kind.isFile()) this.finding.files.push({ path, real: target.real, folders });
        else this.#report(path, 'expected a text file');
      }
    }
  }

  close(): void {
    this.#places.close();
  }

  mayEnter(path: string, real: string): boolean {
    return this.#isNew(real) && this.#isInside(path, real);
  }

  #isNew(real: string): boolean {
    const isNew = !this.#entered.has(real);
    this.#entered.add(real);
    return isNew;
  }

  #descend(path: string, real: RealPath, isLink: boolean, folders: string[]): void {
    this.finding.directories.push(path);
    if (folders.length > maxDepth) this.#report(path, `skipped: more than ${maxDepth} folders deep`);
    // A folder that is not a link is where its name says, which was already checked.
    else if (isLink ? this.mayEnter(path, real) : this.#isNew(real)) this.enter(path, real, folders);
  }

  /** In the directory that was checked, whatever its name leads to now. */
  #read(directory: string, real: RealPath): Dirent[] {
    const held = this.#places.directory(real);
    if (held.state !== 'found') {
      // A file in the place of a folder contains no definitions, as if it were missing.
      if (held.state === 'moved') this.#report(directory, 'skipped: it was replaced by a link');
      else if (held.state === 'failed' && getErrorCode(held.error) !== 'ENOTDIR')
        this.#report(directory, `cannot be read: ${describeFileReason(held.error)}`);
      return [];
    }
    try {
      const entries = readdirSync(held.value, { withFileTypes: true });
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      this.#report(directory, `cannot be read: ${describeFileReason(error)}`);
      return [];
    }
  }

  #follow(path: string): { kind: Stats; real: RealPath } | undefined {
    const real = readRealPath(path);
    if (!real.ok) {
      if (/\.md$/i.test(path)) this.#report(path, real.problem || 'a broken link');
      return undefined;
    }
    const found = this.#isInside(path, real.value) ? this.#places.look(real.value) : undefined;
    return found?.state === 'found' ? { kind: found.value, real: real.value } : undefined;
  }

  #isInside(path: string, real: string): boolean {
    if (this.within === undefined || isWithin(real, this.within)) return true;
    this.#report(path, `skipped: a link that points outside ${this.within}, to ${real}`);
    return false;
  }

  #report(file: string, reason: string): void {
    this.finding.problems.push({ file, reason });
  }
}

/** Undefined where nothing exists, or nothing that may be read. */
export function statQuietly(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The problem is empty where nothing exists. */
function readRealPath(path: string): Result<RealPath, string> {
  try {
    return ok(realpathSync.native(path) as RealPath);
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return fail('');
    const why = code === 'ELOOP' ? 'its links lead in a circle' : describeFileReason(error);
    return fail(`cannot be read: ${why}`);
  }
}

/** Resources used for many files in a row. The lender closes the places. */
export interface LentReader {
  buffer: Buffer;
  places: RealPlaces;
}

/**
 * A whole small text file, read where it was found and nowhere else. Waits for nothing, whatever has taken its place. Of the
 * user's own (`isUsers`), those that somebody else could write are refused.
 */
export function readSmallText(
  real: RealPath,
  largest: number,
  lent?: LentReader,
  isUsers = false,
): Result<string, string> {
  const found = readReal(real, largest, lent);
  if (found.state === 'missing') return fail('cannot be read: no such file');
  if (found.state === 'moved') return fail('cannot be read: it was replaced by a link');
  if (found.state === 'failed') return fail(`cannot be read: ${describeFileReason(found.error)}`);
  const { stat, bytes } = found.value;
  if (!bytes) return fail('expected a text file');
  const writer = isUsers ? describeOtherWriter(stat) : undefined;
  if (writer !== undefined) return fail(`it ${writer}, who could change what Cadre does for you`);
  if (stat.size > largest) return fail(`${stat.size} bytes; at most ${largest} are read`);
  return bytes.includes(0) ? fail('expected text, found binary data') : ok(bytes.toString('utf8'));
}
