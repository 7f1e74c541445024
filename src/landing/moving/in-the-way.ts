import { readdirSync } from 'node:fs';
import { breather } from '../../lib/breathe.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { Git } from '../../workspace/worktrees/repository.ts';
import {
  type BytePath,
  encodeBytePath,
  getParentPath,
  isWritable,
  place,
  readable,
  readEntryKind,
  readFileIdentity,
} from './byte-path.ts';
import { type Change, differing, isSubmodule } from './changes.ts';

/** The user's files that a change of their checkout would run into. None of them is ever touched. */
export interface Obstacles {
  /** Tracked files with uncommitted changes. */
  uncommitted: string[];
  /** Untracked files, ignored or not, where others would be written. */
  foreign: string[];
  /** Directories without write permission. */
  unwritable: string[];
}

/** `scratch` is a directory for an index of our own. */
export async function inTheWay(
  top: string,
  changes: readonly Change[],
  git: Git,
  scratch: string,
): Promise<Result<Obstacles>> {
  const root = encodeBytePath(top);
  const uncommitted = await uncommittedAmong(root, changes, git, scratch);
  if (!uncommitted.ok) return uncommitted;
  // A new file that is staged has changes that are not committed, and is where another would be written.
  const foreign = (await foreignAmong(root, changes)).filter((path) => !uncommitted.value.includes(path));
  return ok({
    uncommitted: uncommitted.value.map(readable),
    foreign: foreign.map(readable),
    unwritable: (await findUnwritable(root, changes)).map(readable),
  });
}

async function uncommittedAmong(
  root: BytePath,
  changes: readonly Change[],
  git: Git,
  scratch: string,
): Promise<Result<BytePath[]>> {
  const flags = ['--porcelain=v1', '-z', '--no-renames', '--untracked-files=no'];
  const listed = await git(['status', ...flags], { bytes: true });
  if (!listed.ok) return listed;
  const dirty = new Set(listed.value.split('\0').map((entry) => entry.slice(3)));
  const unlike = await unlikeTheirCommit(root, changes, git, scratch);
  if (!unlike.ok) return unlike;
  return ok(changes.map(({ path }) => path).filter((path) => dirty.has(path) || unlike.value.has(path)));
}

/**
 * Files whose bytes differ from their commit: git's index can be set to ignore a file, and any command can mark a file in it
 * as unchanged. Files that a sparse checkout leaves out do not exist.
 */
async function unlikeTheirCommit(
  root: BytePath,
  changes: readonly Change[],
  git: Git,
  scratch: string,
): Promise<Result<Set<BytePath>>> {
  const listed = await git(['ls-files', '-v', '-z'], { bytes: true });
  if (!listed.ok) return listed;
  const marks = new Map(listed.value.split('\0').map((entry) => [entry.slice(2), entry[0] ?? '']));
  const isLeftOut = ({ path }: Change) => /^[sS]$/.test(marks.get(path) ?? '');
  const unwanted = changes.filter(
    (one) => isLeftOut(one) && readEntryKind(`${root}/${one.path}`) !== undefined,
  );
  // A submodule's commit is always looked up in the submodule, unless git was set to ignore it.
  const isCompared = (one: Change) =>
    !isLeftOut(one) && (!isSubmodule(one.old) || /^[a-z]$/.test(marks.get(one.path) ?? ''));
  const sides = changes.flatMap((one) =>
    one.old && isCompared(one) ? [{ path: one.path, side: one.old }] : [],
  );
  const changed = sides.length > 0 ? await differing(sides, git, scratch) : ok(new Set<BytePath>());
  return changed.ok ? ok(new Set([...changed.value, ...unwanted.map(({ path }) => path)])) : changed;
}

/** Where git has no file, the user must not have one either. */
async function foreignAmong(root: BytePath, changes: readonly Change[]): Promise<BytePath[]> {
  const breathe = breather();
  const kept = new Map(changes.flatMap((change) => (change.old ? [[change.path, change] as const] : [])));
  const goes = (path: BytePath) => kept.has(path) && kept.get(path)?.new === undefined;
  const leaving = new Set<string | undefined>();
  for (const path of [...kept.keys()].filter(goes)) {
    leaving.add(readFileIdentity(`${root}/${path}`));
    await breathe();
  }
  const found = new Set<BytePath>();
  for (const { path, old, new: after } of changes) {
    await breathe();
    if (!after) continue;
    const above = blockedAbove(root, path, goes);
    if (above !== undefined) found.add(above);
    const target = `${root}/${path}`;
    const kind = above === undefined ? readEntryKind(target) : undefined;
    if (kind === undefined) continue;
    if (kind === 'directory') {
      if (isSubmodule(after)) continue;
      if (holdsOthers(root, path, goes)) found.add(`${path}/`);
    }
    // On a case-insensitive file system a file renamed to itself seems to be in its own way.
    else if (!old && !leaving.has(readFileIdentity(target))) found.add(path);
  }
  return [...found].sort();
}

/** A file or link where a directory is needed, unless the change removes it. */
function blockedAbove(
  root: BytePath,
  path: BytePath,
  goes: (path: BytePath) => boolean,
): BytePath | undefined {
  const parts = path.split('/');
  for (let count = 1; count < parts.length; count++) {
    const above = parts.slice(0, count).join('/');
    const kind = readEntryKind(`${root}/${above}`);
    if (kind === undefined) return undefined;
    if (kind !== 'directory') return goes(above) ? undefined : above;
  }
  return undefined;
}

function holdsOthers(root: BytePath, directory: BytePath, goes: (path: BytePath) => boolean): boolean {
  return listByteNames(`${root}/${directory}`).some((name) => {
    const path = `${directory}/${name}`;
    return readEntryKind(`${root}/${path}`) === 'directory' ? holdsOthers(root, path, goes) : !goes(path);
  });
}

export function listByteNames(directory: BytePath): BytePath[] {
  return readdirSync(place(directory), { encoding: 'latin1' });
}

async function findUnwritable(root: BytePath, changes: readonly Change[]): Promise<BytePath[]> {
  const breathe = breather();
  const directories = new Set<BytePath>();
  for (const parent of new Set(changes.map(({ path }) => getParentPath(path)))) {
    directories.add(standing(root, parent));
    await breathe();
  }
  return [...directories].filter((directory) => !isWritable(directory)).sort();
}

/** The nearest existing directory above. */
export function standing(root: BytePath, path: BytePath): BytePath {
  for (let at = path; at !== ''; at = getParentPath(at))
    if (readEntryKind(`${root}/${at}`) === 'directory') return `${root}/${at}`;
  return root;
}
