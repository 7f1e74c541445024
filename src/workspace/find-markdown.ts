import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf, fail, messageOf, ok, type Result } from '../lib/result.ts';
import { isWithin } from './paths.ts';

export interface FoundFile {
  path: string;
  /** The folders between the place and the file. */
  folders: string[];
}

export interface Finding {
  files: FoundFile[];
  problems: { file: string; reason: string }[];
  /** The directories that were looked into, or would have been. */
  directories: string[];
  /** Some link was met below, whether or not it was followed. */
  hasLinks: boolean;
}

export interface FindLimits {
  /** Files and folders that are looked at; whoever looks in several places shares one. */
  entries: number;
  /** The files to look for, in place of all `.md` ones. A folder that holds one is not searched any further. */
  only?: RegExp;
}

const deepest = 10;

/**
 * The `.md` files below a directory, in an order that depends on names only. Each directory is entered once, however
 * many links lead to it. A directory that is not there holds none; whatever else is wrong is reported.
 */
export function findMarkdown(directory: string, within: string | undefined, limits: FindLimits): Finding {
  const finding: Finding = { files: [], problems: [], directories: [directory], hasLinks: false };
  const top = realPathOf(directory);
  if (!top.ok) {
    if (top.problem !== '') finding.problems.push({ file: directory, reason: top.problem });
    return finding;
  }
  const bound = within === undefined ? undefined : realPathOf(within);
  const walk = new Walk(finding, bound?.ok ? bound.value : within, limits);
  if (walk.mayEnter(directory, top.value)) walk.enter(directory, top.value, []);
  return finding;
}

class Walk {
  readonly #entered = new Set<string>();

  constructor(
    private readonly finding: Finding,
    private readonly within: string | undefined,
    private readonly limits: FindLimits,
  ) {}

  enter(directory: string, real: string, folders: string[]): void {
    const { only } = this.limits;
    const all = this.#read(directory);
    const own = folders.length > 0 ? all.find(({ name }) => only?.test(name)) : undefined;
    for (const entry of own ? [own] : all) {
      const path = join(directory, entry.name);
      if (this.limits.entries-- <= 0) {
        if (this.limits.entries === -1) this.#report(path, 'from here on left out: there are too many files');
        return;
      }
      const isLink = entry.isSymbolicLink();
      this.finding.hasLinks ||= isLink;
      const kind = isLink ? this.#follow(path) : entry;
      if (kind?.isDirectory())
        this.#descend(path, isLink ? undefined : join(real, entry.name), [...folders, entry.name]);
      else if (kind && (only ?? /\.md$/i).test(entry.name)) {
        if (kind.isFile()) this.finding.files.push({ path, folders });
        else this.#report(path, 'expected a text file');
      }
    }
  }

  mayEnter(path: string, real: string): boolean {
    return this.#isNew(real) && this.#isInside(path, real);
  }

  #isNew(real: string): boolean {
    const isNew = !this.#entered.has(real);
    this.#entered.add(real);
    return isNew;
  }

  /** A folder that is no link is where its name says; only of links it must be found out. */
  #descend(path: string, known: string | undefined, folders: string[]): void {
    this.finding.directories.push(path);
    const real = known === undefined ? realPathOf(path) : ok(known);
    if (folders.length > deepest) this.#report(path, `left out: more than ${deepest} folders deep`);
    else if (!real.ok) this.#report(path, real.problem);
    else if (known !== undefined ? this.#isNew(known) : this.mayEnter(path, real.value))
      this.enter(path, real.value, folders);
  }

  #read(directory: string): Dirent[] {
    try {
      const entries = readdirSync(directory, { withFileTypes: true });
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      // A file in the place of a folder holds no definitions, as if it were not there.
      if (codeOf(error) !== 'ENOTDIR') this.#report(directory, `cannot be read: ${messageOf(error)}`);
      return [];
    }
  }

  #follow(path: string) {
    const real = realPathOf(path);
    if (!real.ok) {
      if (/\.md$/i.test(path)) this.#report(path, real.problem || 'a link to nothing');
      return undefined;
    }
    return this.#isInside(path, real.value) ? statQuietly(real.value) : undefined;
  }

  #isInside(path: string, real: string): boolean {
    if (this.within === undefined || isWithin(real, this.within)) return true;
    this.#report(path, `left out: a link that leads out of ${this.within}, to ${real}`);
    return false;
  }

  #report(file: string, reason: string): void {
    this.finding.problems.push({ file, reason });
  }
}

/** Undefined where there is nothing, or nothing that may be looked at. */
export function statQuietly(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The problem is empty where there is nothing. */
function realPathOf(path: string): Result<string, string> {
  try {
    return ok(realpathSync.native(path));
  } catch (error) {
    const code = codeOf(error);
    return fail(code === 'ENOENT' || code === 'ENOTDIR' ? '' : `cannot be read: ${messageOf(error)}`);
  }
}

/**
 * A whole small text file. Waits for nothing, whatever has taken its place meanwhile. Whoever reads hundreds of them
 * lends a buffer: what fits into it need not be measured first.
 */
export function readSmallText(path: string, largest: number, lent?: Buffer): Result<string, string> {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (lent) {
      const size = readSync(file, lent, 0, lent.length, 0);
      if (size < lent.length) return textIn(lent.subarray(0, size));
    }
    const { size } = fstatSync(file);
    if (size > largest) return fail(`${size} bytes; at most ${largest} are read`);
    const buffer = Buffer.allocUnsafe(size);
    return textIn(buffer.subarray(0, readSync(file, buffer, 0, size, 0)));
  } catch (error) {
    return fail(`cannot be read: ${messageOf(error)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function textIn(bytes: Buffer): Result<string, string> {
  return bytes.includes(0) ? fail('expected text, found binary data') : ok(bytes.toString('utf8'));
}
