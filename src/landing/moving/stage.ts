import { constants, copyFileSync, mkdirSync, readlinkSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { breather } from '../../lib/breathe.ts';
import { describeFileError } from '../../lib/files/files.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import { copyIndex } from '../../workspace/git/copy-index.ts';
import type { Git } from '../../workspace/worktrees/repository.ts';
import {
  type BytePath,
  encodeBytePath,
  getParentPath,
  place,
  readable,
  readDevice,
  readEntryKind,
  readFileIdentity,
} from './byte-path.ts';
import { type Change, isSubmodule } from './changes.ts';
import { HeldPaths } from './held-path.ts';
import { standing } from './in-the-way.ts';
import { type Journal, type JournalFile, locateStaging } from './journal.ts';
import { asidePath, stagedPath } from './place.ts';

const maxMs = 30 * 60_000;

type Ground = Pick<Journal, 'top' | 'gitDirectory' | 'common' | 'id' | 'from' | 'to'>;

/**
 * Has git write all new files to a staging directory, along with the index that belongs to them, as a checkout would: with
 * the user's line endings and filters, and the unchanged parts of the user's index. If this fails, for lack of space or time,
 * none of the user's files was touched.
 */
export async function stageFiles(
  ground: Ground,
  changes: readonly Change[],
  was: ReadonlyMap<BytePath, string>,
  git: Git,
): Promise<Result<JournalFile[]>> {
  const { gitDirectory, from, to } = ground;
  const staging = locateStaging(ground);
  const indexFile = join(staging, 'index');
  const copied = stageIndex(join(gitDirectory, 'index'), indexFile, staging);
  if (!copied.ok) return copied;
  const refreshed = await git(['update-index', '-q', '--refresh'], { indexFile, alsoGood: [1] });
  if (!refreshed.ok) return refreshed;
  // Once against the checkout, where git detects what we may have missed, and once to write.
  const checked = await git(['read-tree', '-m', '-u', '--dry-run', from, to], { indexFile });
  if (!checked.ok) return checked;
  const workTree = { gitDirectory, top: join(staging, 'new') };
  const written = await git(['read-tree', '-m', '-u', from, to], {
    indexFile,
    workTree,
    timeoutMs: maxMs,
  });
  if (!written.ok) return written;
  const files: JournalFile[] = [];
  const breathe = breather();
  for (const change of changes) {
    const file = describe(change, ground, was);
    if (file) files.push(file);
    await breathe();
  }
  return ok(files);
}

/** Undefined where nothing changes on disk: in the parts that a sparse checkout leaves out, or for a submodule's commit. */
function describe(
  { path, old, new: after }: Change,
  ground: Ground,
  was: ReadonlyMap<BytePath, string>,
): JournalFile | undefined {
  if (isSubmodule(old) && isSubmodule(after)) return undefined;
  const before = was.get(path);
  const identity = readFileIdentity(stagedPath(ground, { path }, 0));
  if (before === undefined && identity === undefined) return undefined;
  const directory = standing(encodeBytePath(ground.top), getParentPath(path));
  const isNear = readDevice(directory) === readDevice(encodeBytePath(ground.common));
  return {
    path,
    ...(old && before !== undefined ? { old: { ...old, identity: before } } : {}),
    ...(after && identity !== undefined ? { new: { ...after, identity } } : {}),
    ...(isNear ? {} : { beside: directory }),
  };
}

/** For another file system, to which files cannot be moved: they are copied now, while it may still fail. */
export async function copyBeside(
  ground: Ground,
  files: readonly JournalFile[],
): Promise<Result<JournalFile[]>> {
  const breathe = breather();
  const near: JournalFile[] = [];
  for (const [number, file] of files.entries()) {
    if (file.beside === undefined || !file.new || isSubmodule(file.new)) {
      near.push(file);
      continue;
    }
    const [from, to] = [stagedPath(ground, { path: file.path }, number), stagedPath(ground, file, number)];
    const copied = copyHeld(from, to);
    if (!copied.ok) return fail(describeFileError(copied.problem, readable(file.path), 'write'));
    near.push({ ...file, new: { ...file.new, identity: copied.value } });
    await breathe();
  }
  return ok(near);
}

/** Into a directory that is held open, and never over an existing file. Returns the identity of the copy. */
function copyHeld(from: BytePath, to: BytePath): Result<string, unknown> {
  const paths = new HeldPaths();
  try {
    const here = paths.reachNew(to);
    if (readEntryKind(from) === 'link')
      symlinkSync(readlinkSync(place(from), { encoding: 'buffer' }), place(here));
    else copyFileSync(place(from), place(here), constants.COPYFILE_EXCL);
    return ok(readFileIdentity(here) ?? '');
  } catch (error) {
    return fail(error);
  } finally {
    paths.close();
  }
}

/** The staged files are no longer needed. */
export async function clearStaging(ground: Ground & Pick<Journal, 'files'>): Promise<Result<void>> {
  const breathe = breather();
  const paths = new HeldPaths();
  try {
    for (const [number, file] of ground.files.entries()) {
      if (file.beside === undefined) continue;
      for (const path of [stagedPath(ground, file, number), asidePath(ground, file, number)]) {
        const here = paths.reach(path);
        if (here !== undefined) rmSync(place(here), { force: true });
      }
      await breathe();
    }
    await rm(locateStaging(ground), { recursive: true, force: true });
    removeEmptyDirectory(dirname(locateStaging(ground)));
    return ok(undefined);
  } catch (error) {
    return fail(describeFileError(error, locateStaging(ground), 'remove'));
  } finally {
    paths.close();
  }
}

/** Commands that run now have a mark in it, and keep it. */
function removeEmptyDirectory(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Something is in it.
  }
}

function stageIndex(from: string, to: string, staging: string): Result<void> {
  try {
    for (const name of ['new', 'old']) mkdirSync(join(staging, name), { recursive: true });
    const copied = copyIndex(from, to);
    return copied.ok ? ok(undefined) : copied;
  } catch (error) {
    return fail(describeFileError(error, to, 'write'));
  }
}
