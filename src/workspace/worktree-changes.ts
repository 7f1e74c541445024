import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure, messageOf, ok, type Result } from '../lib/result.ts';
import type { WorktreeRecord } from './worktree-record.ts';
import { findAdministration, type Git, gitIn, type WorktreeWorld } from './worktree-repository.ts';

/** What is in a worktree beyond what it began with. */
export interface WorktreeChanges {
  /** Nothing modified, nothing untracked that is not ignored, no commit beyond the base, nothing half done (WT3). */
  isUnchanged: boolean;
  /** Files are missing and nothing else: a removal or a checkout that was cut off looks like this. */
  isOnlyDeleted: boolean;
  /** The commit that is checked out. */
  head: string;
}

type Place = Pick<WorktreeRecord, 'path' | 'base' | 'common' | 'branch'>;

export async function changesIn(place: Place, world: WorktreeWorld): Promise<Result<WorktreeChanges>> {
  const { path, base, common, branch } = place;
  const git = gitIn(world, path);
  const head = await git(['rev-parse', '--verify', 'HEAD^{commit}']);
  if (!head.ok) return head;
  const tip = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], { alsoGood: [1] });
  if (!tip.ok) return tip;
  const own = findAdministration(common, path);
  const hasIndex = own !== undefined && existsSync(join(own, 'index'));
  return withIndex(hasIndex ? join(own, 'index') : undefined, git, async (indexFile) => {
    const listed = await git(['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=normal'], {
      indexFile,
    });
    if (!listed.ok) return listed;
    const hidden = await hasHidden(git, indexFile);
    if (!hidden.ok) return hidden;
    const entries = listed.value.split('\0').filter((entry) => entry !== '');
    const atBase = head.value.trim() === base && [base, ''].includes(tip.value.trim());
    const isWhole = atBase && !hidden.value && !isHalfDone(own);
    return ok({
      isUnchanged: isWhole && entries.length === 0,
      isOnlyDeleted: isWhole && entries.every((entry) => /^( D|D ) /.test(entry)),
      head: head.value.trim(),
    });
  });
}

const unfinished = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

function isHalfDone(own: string | undefined): boolean {
  return own !== undefined && unfinished.some((name) => existsSync(join(own, name)));
}

/** Entries that git was told not to look at: changes in them would not be seen. */
async function hasHidden(git: Git, indexFile: string): Promise<Result<boolean>> {
  const listed = await git(['ls-files', '-v', '-z'], { indexFile });
  return listed.ok ? ok(listed.value.split('\0').some((entry) => /^[a-zS] /.test(entry))) : listed;
}

/** All that is in a checkout now and not ignored, as a tree; neither the checkout nor its index is touched. */
export async function snapshotTree(path: string, world: WorktreeWorld): Promise<Result<string>> {
  const git = gitIn(world, path);
  const own = await git(['rev-parse', '--path-format=absolute', '--git-path', 'index']);
  if (!own.ok) return own;
  const index = own.value.trim();
  const hidden = existsSync(index) ? await hasHidden(git, index) : ok(true);
  if (!hidden.ok) return hidden;
  return withIndex(hidden.value ? undefined : index, git, async (indexFile) => {
    const added = await git(['add', '--all', '--', '.'], { indexFile });
    if (!added.ok) return added;
    const tree = await git(['write-tree'], { indexFile });
    return tree.ok ? ok(tree.value.trim()) : tree;
  });
}

/** Works on a copy of an index, or on a fresh one of HEAD where there is none. */
async function withIndex<T>(
  index: string | undefined,
  git: Git,
  work: (indexFile: string) => Promise<Result<T>>,
): Promise<Result<T>> {
  const directory = mkdtempSync(join(tmpdir(), 'cadre-index-'));
  const indexFile = join(directory, 'index');
  try {
    if (index !== undefined) copyIndex(index, indexFile);
    else {
      const read = await git(['read-tree', 'HEAD'], { indexFile });
      if (!read.ok) return read;
    }
    return await work(indexFile);
  } catch (error) {
    return failure(`The index of a worktree could not be copied: ${messageOf(error)}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * The copy keeps the time of the original, or an earlier one: git looks twice at files that were written in the moment of
 * their index, and would not with a younger one.
 */
function copyIndex(from: string, to: string): void {
  const written = Math.floor(statSync(from).mtimeMs / 1000);
  copyFileSync(from, to);
  utimesSync(to, written, written);
}

export interface Diffstat {
  files: { path: string; added: number; removed: number }[];
  added: number;
  removed: number;
}

export async function diffstat(
  from: string,
  to: string,
  cwd: string,
  world: WorktreeWorld,
): Promise<Result<Diffstat>> {
  const listed = await gitIn(world, cwd)(['diff', '--numstat', '-z', '--no-renames', from, to, '--']);
  if (!listed.ok) return listed;
  const files = listed.value
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [added = '', removed = '', ...name] = entry.split('\t');
      // A binary file has no lines.
      return { path: name.join('\t'), added: Number(added) || 0, removed: Number(removed) || 0 };
    });
  const sum = (key: 'added' | 'removed') => files.reduce((total, file) => total + file[key], 0);
  return ok({ files, added: sum('added'), removed: sum('removed') });
}

export function describeDiffstat({ files, added, removed }: Diffstat): string {
  const count = files.length === 1 ? '1 file' : `${files.length} files`;
  return `${count} changed, ${added} lines added, ${removed} removed`;
}
