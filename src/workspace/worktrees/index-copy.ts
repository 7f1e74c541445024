import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { failure, formatError, ok, type Result } from '../../lib/result.ts';
import { checkIndex, copyIndex } from '../git/copy-index.ts';
import { withOwnDirectory } from '../own-directory.ts';
import { resolveRealPath } from '../real-path.ts';
import { bindGit, type Git, oneLine, type WorktreeWorld } from './repository.ts';

/** One entry of an index. */
export interface CheckoutEntry {
  path: string;
  mode: string;
  /** 0, or that of a side of a conflict. */
  stage: string;
}

export interface IndexCopy {
  file: string;
  entries: CheckoutEntry[];
}

/**
 * Works on a copy of a checkout's index in which nothing is hidden: entries that git was set to ignore are read, except for
 * those that a sparse checkout leaves out. Without an index, on a fresh one of HEAD.
 */
export async function withIndexCopy<T>(
  path: string,
  world: WorktreeWorld,
  work: (copy: IndexCopy) => Promise<Result<T>>,
): Promise<Result<T>> {
  const git = bindGit(world, path);
  const found = await git(['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-path', 'index']);
  if (!found.ok) return found;
  // Otherwise the files that git compares, adds and counts are those of another directory.
  const top = `${join(resolveRealPath(dirname(path)), basename(path))}\n`;
  if (!found.value.startsWith(top))
    return failure(
      `Git uses another directory than ${path} for its files.`,
      'It may be a link, or core.worktree is set: see git config --show-origin core.worktree.',
    );
  const index = oneLine(found.value.slice(top.length));
  try {
    return await withOwnDirectory(world.home, async (directory) => {
      const file = join(directory, 'index');
      const made = existsSync(index)
        ? await joinParts(index, file, git)
        : await git(['read-tree', 'HEAD'], { indexFile: file });
      if (!made.ok) return made;
      const entries = await openEyes(path, file, git);
      return entries.ok ? await work({ file, entries: entries.value }) : entries;
    });
  } catch (error) {
    return failure(`The index of ${path} could not be copied: ${formatError(error)}`);
  }
}

/** The other part of a split one is where a command could change it while git reads it. */
async function joinParts(index: string, indexFile: string, git: Git): Promise<Result<void>> {
  const copied = copyIndex(index, indexFile);
  if (!copied.ok || !copied.value.isSplit) return copied.ok ? ok(undefined) : copied;
  const joined = await git(['update-index', '--no-split-index'], { indexFile });
  if (!joined.ok) return joined;
  const checked = checkIndex(indexFile, index);
  return checked.ok ? ok(undefined) : checked;
}

async function openEyes(path: string, indexFile: string, git: Git): Promise<Result<CheckoutEntry[]>> {
  const listed = await git(['ls-files', '-v', '--stage', '-z'], { indexFile });
  if (!listed.ok) return listed;
  const entries = listed.value.split('\0').flatMap((line) => {
    const fields = /^(.) (\d+) [0-9a-f]+ (\d)\t/.exec(line);
    const [whole = '', tag = '', mode = '', stage = ''] = fields ?? [];
    return fields ? [{ tag, mode, stage, path: line.slice(whole.length) }] : [];
  });
  const unlooked = entries.filter(({ tag }) => /[a-z]/.test(tag));
  const skipped = entries.filter(({ tag }) => tag.toUpperCase() === 'S');
  const sparse = skipped.length > 0 ? await isSparse(git) : ok(false);
  if (!sparse.ok) return sparse;
  const isThere = (name: string) => statEntry(join(path, name)) !== undefined;
  const hidden = sparse.value ? skipped.filter((entry) => isThere(entry.path)) : skipped;
  for (const [flag, list] of [
    ['--no-assume-unchanged', unlooked],
    ['--no-skip-worktree', hidden],
  ] as const) {
    if (list.length === 0) continue;
    const input = list.map((entry) => `${entry.path}\0`).join('');
    const shown = await git(['update-index', flag, '-z', '--stdin'], { indexFile, input });
    if (!shown.ok) return shown;
  }
  return ok(entries);
}

async function isSparse(git: Git): Promise<Result<boolean>> {
  const set = await git(['config', '--type=bool', '--get', 'core.sparseCheckout'], { alsoGood: [1] });
  return set.ok ? ok(set.value.trim() === 'true') : set;
}
