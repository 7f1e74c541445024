import { linkSync, mkdirSync, readlinkSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { breather } from '../../lib/breathe.ts';
import { describeFileError } from '../../lib/files/files.ts';
import { fail, getErrorCode, ok, type Problem, type Result } from '../../lib/result.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import {
  type BytePath,
  encodeBytePath,
  getParentPath,
  place,
  readable,
  readEntryKind,
  readFileIdentity,
} from './byte-path.ts';
import { isSubmodule } from './changes.ts';
import { HeldPaths } from './held-path.ts';
import { listByteNames } from './in-the-way.ts';
import { type Journal, type JournalFile, locateStaging } from './journal.ts';

/** Files that are old or new by their content, with their identity when they were looked at: see `recover.ts`. */
export interface KnownFiles {
  old: ReadonlyMap<BytePath, string>;
  new: ReadonlyMap<BytePath, string>;
}

export interface Placing extends Pick<Journal, 'top' | 'common' | 'id' | 'files'> {
  looks?: KnownFiles;
  step?(name: string): void;
}

/**
 * Puts the new files where the old ones are. Each is moved in one piece and the old one is moved aside, so at any moment
 * every file is complete and can go either way. Files that are neither old nor new are not touched but returned by name. With
 * `strict` the first such file stops it.
 */
export async function placeFiles(placing: Placing, strict: boolean): Promise<Result<BytePath[]>> {
  return await withHeld(placing, (held) => placeAll(held, strict));
}

async function placeAll(placing: HeldPlacing, strict: boolean): Promise<Result<BytePath[]>> {
  const foreign: BytePath[] = [];
  const breathe = breather();
  // Removals first, to make room for new files.
  for (const goes of [true, false])
    for (const [number, file] of placing.files.entries()) {
      if ((file.new === undefined) !== goes) continue;
      const placed = attempt(file, () => placeOne(new Move(placing, file, number), placing));
      if (!placed.ok) return placed;
      if (!placed.value) foreign.push(file.path);
      if (!placed.value && strict) return ok(foreign);
      await breathe();
    }
  for (const file of placing.files) {
    if (file.new) continue;
    if (isSubmodule(file.old)) removeQuietly(placing.checkout, targetPath(placing, file.path));
    removeEmptyAbove(placing, file.path);
    await breathe();
  }
  return ok(foreign);
}

/** The reverse, with the same guarantee. */
export async function undoFiles(placing: Placing): Promise<Result<BytePath[]>> {
  return await withHeld(placing, undoAll);
}

async function undoAll(placing: HeldPlacing): Promise<Result<BytePath[]>> {
  const foreign: BytePath[] = [];
  const breathe = breather();
  const numbered = [...placing.files.entries()].reverse();
  for (const isAdded of [true, false])
    for (const [number, file] of numbered) {
      if ((file.old === undefined) !== isAdded) continue;
      const undone = attempt(file, () => undoOne(new Move(placing, file, number)));
      if (!undone.ok) return undone;
      if (!undone.value) foreign.push(file.path);
      if (isAdded) removeEmptyAbove(placing, file.path);
      await breathe();
    }
  return ok(foreign);
}

/** The two sides between which files are moved, each reached through directories that are held open. */
interface HeldPlacing extends Placing {
  checkout: HeldPaths;
  waiting: HeldPaths;
}

async function withHeld<T>(placing: Placing, act: (held: HeldPlacing) => Promise<T>): Promise<T> {
  const { top, common } = placing;
  const sides = { checkout: new HeldPaths(), waiting: new HeldPaths() };
  try {
    return await act({
      ...placing,
      ...sides,
      top: resolveRealPath(top),
      common: resolveRealPath(common),
    });
  } finally {
    sides.checkout.close();
    sides.waiting.close();
  }
}

/** True once the file is in its final state. */
function placeOne(move: Move, { step }: Placing): boolean {
  if (move.isNew()) return true;
  if (!move.takeAside()) return false;
  step?.('aside');
  if (!move.bringNew()) return false;
  step?.('placed');
  return true;
}

function undoOne(move: Move): boolean {
  if (move.isNew()) move.takeBackNew();
  return move.bringOld();
}

/** The moves of one file between the checkout and the staging directory. */
class Move {
  readonly #target: BytePath;
  readonly #staged: BytePath;
  readonly #aside: BytePath;

  constructor(
    private readonly placing: HeldPlacing,
    private readonly file: JournalFile,
    number: number,
  ) {
    this.#target = targetPath(placing, file.path);
    this.#staged = stagedPath(placing, file, number);
    this.#aside = asidePath(placing, file, number);
  }

  isNew(): boolean {
    const { path, new: after } = this.file;
    const at = this.#identity(this.placing.checkout, this.#target);
    // A submodule's directory exists before and after.
    if (!after) return at === undefined || (isSubmodule(this.file.old) && at === 'directory');
    return at === after.identity || (at !== undefined && this.placing.looks?.new.get(path) === at);
  }

  #identity(paths: HeldPaths, path: BytePath): string | undefined {
    const here = paths.reach(path);
    return here === undefined ? undefined : readFileIdentity(here);
  }

  #isOld(identity: string | undefined): boolean {
    if (identity === undefined) return false;
    return identity === this.file.old?.identity || this.placing.looks?.old.get(this.file.path) === identity;
  }

  /** False where a different file is in its place. */
  takeAside(): boolean {
    const { checkout, waiting } = this.placing;
    const at = this.#identity(checkout, this.#target);
    if (at === undefined) return true;
    if (at === 'directory') {
      if (this.file.old === undefined || isSubmodule(this.file.old)) removeEmptyTree(checkout, this.#target);
      return this.#identity(checkout, this.#target) === undefined;
    }
    if (!this.#isOld(at)) return false;
    const aside = waiting.reachNew(this.#aside);
    const target = checkout.reachNew(this.#target);
    renameSync(place(target), place(aside));
    // Another process wrote to it just now.
    if (readFileIdentity(aside) !== at) {
      moveNew(aside, target);
      return false;
    }
    return true;
  }

  /** False where another process took its place or removed it. */
  bringNew(): boolean {
    const { checkout, waiting } = this.placing;
    if (!this.file.new) return true;
    const target = checkout.reachNew(this.#target);
    if (isSubmodule(this.file.new)) {
      makeDirectory(target);
      return true;
    }
    const staged = waiting.reach(this.#staged);
    return staged !== undefined && readEntryKind(staged) !== undefined && moveNew(staged, target);
  }

  takeBackNew(): void {
    const { checkout, waiting } = this.placing;
    if (!this.file.new) return;
    if (isSubmodule(this.file.new)) removeEmptyTree(checkout, this.#target);
    else renameSync(place(checkout.reachNew(this.#target)), place(waiting.reachNew(this.#staged)));
  }

  /** False where the old file is missing and could not be brought back. */
  bringOld(): boolean {
    const { checkout, waiting } = this.placing;
    const at = this.#identity(checkout, this.#target);
    if (!this.file.old) return at === undefined;
    if (isSubmodule(this.file.old)) {
      makeDirectory(checkout.reachNew(this.#target));
      return true;
    }
    if (at === 'directory') removeEmptyTree(checkout, this.#target);
    else if (at !== undefined) return this.#isOld(at);
    const aside = waiting.reach(this.#aside);
    if (aside === undefined || readEntryKind(aside) === undefined) return false;
    return moveNew(aside, checkout.reachNew(this.#target));
  }
}

export function stagedPath(placing: Pick<Placing, 'common' | 'id'>, file: JournalFile, number: number) {
  const own = encodeBytePath(join(locateStaging(placing), 'new'));
  return file.beside === undefined
    ? `${own}/${file.path}`
    : besidePath(placing.id, file.beside, number, 'new');
}

export function asidePath(placing: Pick<Placing, 'common' | 'id'>, file: JournalFile, number: number) {
  const own = encodeBytePath(join(locateStaging(placing), 'old'));
  return file.beside === undefined ? `${own}/${number}` : besidePath(placing.id, file.beside, number, 'old');
}

function besidePath(id: string, directory: BytePath, number: number, what: string): BytePath {
  return `${directory}/.cadre-landing-${id}-${number}.${what}`;
}

/** Moves without ever replacing anything: false where something exists. */
function moveNew(from: BytePath, to: BytePath): boolean {
  try {
    if (readEntryKind(from) === 'link')
      symlinkSync(readlinkSync(place(from), { encoding: 'buffer' }), place(to));
    else linkOrRename(from, to);
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
  if (readEntryKind(from) !== undefined) unlinkSync(place(from));
  return true;
}

/** Not every file system supports hard links. */
function linkOrRename(from: BytePath, to: BytePath): void {
  try {
    linkSync(place(from), place(to));
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EMLINK'].includes(getErrorCode(error) ?? ''))
      throw error;
    if (readEntryKind(to) !== undefined) throw Object.assign(new Error('taken'), { code: 'EEXIST' });
    renameSync(place(from), place(to));
  }
}

function makeDirectory(here: BytePath): void {
  if (readEntryKind(here) !== 'directory') mkdirSync(place(here));
}

/** Only directories, with no file among them. */
function removeEmptyTree(paths: HeldPaths, path: BytePath): void {
  const inside = paths.reach(`${path}/.`);
  for (const name of inside === undefined ? [] : listByteNames(inside)) {
    const here = paths.reach(`${path}/${name}`);
    if (here !== undefined && readEntryKind(here) === 'directory') removeEmptyTree(paths, `${path}/${name}`);
  }
  removeQuietly(paths, path);
}

function removeEmptyAbove(placing: HeldPlacing, path: BytePath): void {
  for (let at = getParentPath(path); at !== ''; at = getParentPath(at))
    if (!removeQuietly(placing.checkout, targetPath(placing, at))) return;
}

function removeQuietly(paths: HeldPaths, directory: BytePath): boolean {
  try {
    const here = paths.reach(directory);
    if (here === undefined) return false;
    rmdirSync(place(here));
    return true;
  } catch {
    return false;
  }
}

function targetPath({ top }: Placing, path: BytePath): BytePath {
  return `${encodeBytePath(top)}/${path}`;
}

function attempt<T>(file: JournalFile, action: () => T): Result<T, Problem> {
  try {
    return ok(action());
  } catch (error) {
    return fail(describeFileError(error, readable(file.path), 'replace'));
  }
}
