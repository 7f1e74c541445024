import { linkSync, mkdirSync, readlinkSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { breather } from '../lib/breathe.ts';
import { describeFileError } from '../lib/files.ts';
import { codeOf, fail, ok, type Problem, type Result } from '../lib/result.ts';
import { type BytePath, bytesOf, identityOf, kindAt, parentOf, place, readable } from './byte-path.ts';
import { isSubmodule } from './changes.ts';
import { entriesOf } from './in-the-way.ts';
import { type Journal, type JournalFile, stagingOf } from './journal.ts';

/** Files that are old or new by their content, with what they were when they were looked at: see `recover.ts`. */
export interface Looks {
  old: ReadonlyMap<BytePath, string>;
  new: ReadonlyMap<BytePath, string>;
}

export interface Placing extends Pick<Journal, 'top' | 'gitDirectory' | 'id' | 'files'> {
  looks?: Looks;
  step?(name: string): void;
}

/**
 * Puts the new files where the old ones are. Each is moved in one piece and the old one is moved aside, so that at any
 * moment every file is whole and can go either way. Nothing that is neither is touched: it is named in what is returned.
 * With `strict` the first such file ends it.
 */
export async function placeFiles(placing: Placing, strict: boolean): Promise<Result<BytePath[]>> {
  const foreign: BytePath[] = [];
  const breathe = breather();
  // What goes makes room for what comes.
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
    if (isSubmodule(file.old)) removeQuietly(`${bytesOf(placing.top)}/${file.path}`);
    removeEmptyAbove(placing, file.path);
    await breathe();
  }
  return ok(foreign);
}

/** The way back, with the same promise. */
export async function undoFiles(placing: Placing): Promise<Result<BytePath[]>> {
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

/** True once it is as it should be. */
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

/** The ways of one file between the checkout and where it waits. */
class Move {
  readonly #target: BytePath;
  readonly #staged: BytePath;
  readonly #aside: BytePath;

  constructor(
    private readonly placing: Placing,
    private readonly file: JournalFile,
    number: number,
  ) {
    this.#target = `${bytesOf(placing.top)}/${file.path}`;
    this.#staged = stagedPath(placing, file, number);
    this.#aside = asidePath(placing, file, number);
  }

  isNew(): boolean {
    const { path, new: after } = this.file;
    const at = identityOf(this.#target);
    // A submodule's directory is there before and after.
    if (!after) return at === undefined || (isSubmodule(this.file.old) && at === 'directory');
    return at === after.identity || (at !== undefined && this.placing.looks?.new.get(path) === at);
  }

  #isOld(identity: string | undefined): boolean {
    if (identity === undefined) return false;
    return identity === this.file.old?.identity || this.placing.looks?.old.get(this.file.path) === identity;
  }

  /** False where something else than the old file is there. */
  takeAside(): boolean {
    const at = identityOf(this.#target);
    if (at === undefined) return true;
    if (at === 'directory') {
      if (this.file.old === undefined || isSubmodule(this.file.old)) removeEmptyTree(this.#target);
      return kindAt(this.#target) === undefined;
    }
    if (!this.#isOld(at)) return false;
    renameSync(place(this.#target), place(this.#aside));
    // Somebody wrote to it in this very moment.
    if (identityOf(this.#aside) !== at) {
      moveNew(this.#aside, this.#target);
      return false;
    }
    return true;
  }

  /** False where somebody took its place, or took it away. */
  bringNew(): boolean {
    if (!this.file.new) return true;
    makeDirectory(parentOf(this.#target));
    if (isSubmodule(this.file.new)) {
      makeDirectory(this.#target);
      return true;
    }
    return kindAt(this.#staged) !== undefined && moveNew(this.#staged, this.#target);
  }

  takeBackNew(): void {
    if (!this.file.new) return;
    if (isSubmodule(this.file.new)) removeEmptyTree(this.#target);
    else {
      makeDirectory(parentOf(this.#staged));
      renameSync(place(this.#target), place(this.#staged));
    }
  }

  /** False where neither the old file is there nor could be brought back. */
  bringOld(): boolean {
    const at = identityOf(this.#target);
    if (!this.file.old) return at === undefined;
    if (isSubmodule(this.file.old)) {
      makeDirectory(this.#target);
      return true;
    }
    if (at === 'directory') removeEmptyTree(this.#target);
    else if (at !== undefined) return this.#isOld(at);
    if (kindAt(this.#aside) === undefined) return false;
    makeDirectory(parentOf(this.#target));
    return moveNew(this.#aside, this.#target);
  }
}

export function stagedPath(placing: Pick<Placing, 'gitDirectory' | 'id'>, file: JournalFile, number: number) {
  const own = bytesOf(join(stagingOf(placing), 'new'));
  return file.beside === undefined
    ? `${own}/${file.path}`
    : besidePath(placing.id, file.beside, number, 'new');
}

export function asidePath(placing: Pick<Placing, 'gitDirectory' | 'id'>, file: JournalFile, number: number) {
  const own = bytesOf(join(stagingOf(placing), 'old'));
  return file.beside === undefined ? `${own}/${number}` : besidePath(placing.id, file.beside, number, 'old');
}

function besidePath(id: string, directory: BytePath, number: number, what: string): BytePath {
  return `${directory}/.cadre-landing-${id}-${number}.${what}`;
}

/** Moves without ever replacing anything: false where something is there. */
function moveNew(from: BytePath, to: BytePath): boolean {
  try {
    if (kindAt(from) === 'link') symlinkSync(readlinkSync(place(from), { encoding: 'buffer' }), place(to));
    else linkOrRename(from, to);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  if (kindAt(from) !== undefined) unlinkSync(place(from));
  return true;
}

/** Not every file system has second names for a file. */
function linkOrRename(from: BytePath, to: BytePath): void {
  try {
    linkSync(place(from), place(to));
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EMLINK'].includes(codeOf(error) ?? '')) throw error;
    if (kindAt(to) !== undefined) throw Object.assign(new Error('taken'), { code: 'EEXIST' });
    renameSync(place(from), place(to));
  }
}

function makeDirectory(path: BytePath): void {
  if (kindAt(path) !== 'directory') mkdirSync(place(path), { recursive: true });
}

/** Directories of directories, and no file among them. */
function removeEmptyTree(path: BytePath): void {
  for (const name of entriesOf(path))
    if (kindAt(`${path}/${name}`) === 'directory') removeEmptyTree(`${path}/${name}`);
  removeQuietly(path);
}

function removeEmptyAbove({ top }: Placing, path: BytePath): void {
  for (let at = parentOf(path); at !== ''; at = parentOf(at))
    if (!removeQuietly(`${bytesOf(top)}/${at}`)) return;
}

function removeQuietly(directory: BytePath): boolean {
  try {
    rmdirSync(place(directory));
    return true;
  } catch {
    return false;
  }
}

function attempt<T>(file: JournalFile, action: () => T): Result<T, Problem> {
  try {
    return ok(action());
  } catch (error) {
    return fail(describeFileError(error, readable(file.path), 'replace'));
  }
}
