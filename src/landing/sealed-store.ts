import { constants, copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { holdDirectory } from '../lib/files/hold-directory.ts';
import { listNames } from '../lib/files/list-names.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import { withOwnDirectory } from '../workspace/own-directory.ts';
import { bindGit, type Git } from '../workspace/worktrees/repository.ts';
import type { Ground } from './types.ts';

/** A linear piece of history: `from` is an ancestor of `to`. */
export interface SealedPiece {
  from: string;
  to: string;
}

const maxMs = 30 * 60_000;

/**
 * Works with a store that holds this piece of history and nothing else, in our own directory. Git does not compare what it
 * reads with its name, and sandboxed commands can write to the repository's store: an object may be another one a moment
 * later. Here each one has the name of its content, which git computes when it indexes a pack, and cannot be replaced. What
 * is missing because it was replaced in the repository makes the work fail.
 */
export function withSealed<T>(
  piece: SealedPiece,
  ground: Ground,
  work: (sealed: Ground) => Promise<Result<T>>,
): Promise<Result<T>> {
  const { world } = ground;
  return withOwnDirectory(world.home, async (own) => {
    const sealed = { ...ground, world: { ...world, objects: { own } } };
    const filled = await fill(own, piece, ground, sealed);
    return filled.ok ? work(sealed) : filled;
  });
}

async function fill(own: string, piece: SealedPiece, ground: Ground, sealed: Ground): Promise<Result<void>> {
  const git = bindGit(ground.world, ground.repository.top);
  const ids = await listObjects(git, piece);
  if (!ids.ok) return ids;
  const packs = join(own, 'pack');
  mkdirSync(packs);
  const packed = await git(['pack-objects', '-q', '--window=0', join(packs, 'pack')], {
    ...{ input: joinLines(ids.value), timeoutMs: maxMs },
  });
  if (!packed.ok) return packed;
  for (const name of listNames(packs)) if (!name.endsWith('.pack')) rmSync(join(packs, name));
  const inside = bindGit(sealed.world, ground.repository.top);
  for (const name of listNames(packs)) {
    const indexed = await inside(['index-pack', join(packs, name)], { timeoutMs: maxMs });
    if (!indexed.ok) return indexed;
  }
  return checkWhole(inside, piece, ids.value);
}

/** All that the piece says must be there under its own name. */
async function checkWhole(
  git: Git,
  { from, to }: SealedPiece,
  ids: ReadonlySet<string>,
): Promise<Result<void>> {
  const checked = await git(['cat-file', '--batch-check=%(objectname)'], { input: joinLines(ids) });
  if (!checked.ok) return checked;
  const walked = await git(['diff-tree', '-r', '--name-only', from, to]);
  if (walked.ok && !checked.value.includes(' missing')) return ok(undefined);
  return failure(
    'Objects in git’s store are not what their names say, so what would land is not known. Nothing was landed.',
    'A command may have changed them: git fsck names them.',
  );
}

/**
 * The commits, all trees of the first and those that are new in the others, both sides of each file that a commit changes, and
 * the attributes, by which git writes files.
 */
async function listObjects(git: Git, { from, to }: SealedPiece): Promise<Result<Set<string>>> {
  const ids = new Set([from]);
  const rules = new Set<string>();
  const listed = await git(['rev-list', '--objects', '--no-object-names', `${from}..${to}`]);
  if (!listed.ok) return listed;
  for (const id of splitLines(listed.value)) ids.add(id);
  const root = await git(['rev-parse', `${from}^{tree}`]);
  if (!root.ok) return root;
  ids.add(root.value.trim());
  for (const commit of [from, to]) {
    const entries = await git(['ls-tree', '-r', '-t', '-z', '--full-tree', commit], { bytes: true });
    if (!entries.ok) return entries;
    for (const entry of entries.value.split('\0')) {
      const [, type, id = '', path = ''] = /^\d+ (\w+) ([0-9a-f]+)\t([\s\S]*)$/.exec(entry) ?? [];
      if (type === 'tree') ids.add(id);
      else if (type === 'blob' && attributes.test(path)) rules.add(id);
    }
  }
  const present = await listPresent(git, rules);
  if (!present.ok) return present;
  for (const id of present.value) ids.add(id);
  const commits = await git(['rev-list', `${from}..${to}`]);
  if (!commits.ok) return commits;
  const flags = ['-r', '--raw', '--no-renames', '--no-abbrev', '--no-commit-id'];
  const changed = await git(['diff-tree', '--stdin', ...flags], { input: commits.value, bytes: true });
  if (!changed.ok) return changed;
  for (const line of splitLines(changed.value)) {
    const [before = '', after = '', old = '', now = ''] = line.slice(1).split(/[ \t]/);
    if (isBlob(before)) ids.add(old);
    if (isBlob(after)) ids.add(now);
  }
  return ok(ids);
}

/** A partial clone has only the attributes of the directories that are checked out. */
async function listPresent(git: Git, ids: ReadonlySet<string>): Promise<Result<string[]>> {
  if (ids.size === 0) return ok([]);
  const checked = await git(['cat-file', '--batch-check=%(objectname)'], { input: joinLines(ids) });
  return checked.ok ? ok(splitLines(checked.value).filter((line) => ids.has(line))) : checked;
}

const attributes = /(?:^|\/)\.gitattributes$/i;

/** A file or link: a submodule's commit is in another repository. */
function isBlob(mode: string): boolean {
  return /^1(?:00|20)/.test(mode);
}

function joinLines(ids: ReadonlySet<string>): string {
  return `${[...ids].join('\n')}\n`;
}

function splitLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/**
 * Puts what was landed into the repository's store once more if objects there were replaced meanwhile: git looks into packs
 * first.
 */
export async function restoreObjects(
  piece: SealedPiece,
  ground: Ground,
  sealed: Ground,
): Promise<Result<void>> {
  const { repository } = ground;
  const verify = () => withSealed(piece, ground, async () => ok(undefined));
  const own = sealed.world.objects?.own;
  if (own === undefined || (await verify()).ok) return ok(undefined);
  const held = holdDirectory(join(repository.common, 'objects', 'pack'));
  if (!held.ok) return held;
  try {
    // An index makes git use its pack, so it is last.
    const names = listNames(join(own, 'pack')).sort((one) => (one.endsWith('.pack') ? -1 : 1));
    for (const name of names)
      copyFileSync(join(own, 'pack', name), join(held.value.path, name), constants.COPYFILE_EXCL);
  } catch {
    // Told by the check.
  } finally {
    held.value.close();
  }
  const again = await verify();
  return again.ok
    ? ok(undefined)
    : failure(
        'The files have landed, but objects in git’s store were changed meanwhile and could not be put back.',
        'git fsck names them.',
      );
}
