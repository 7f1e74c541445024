import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { failure, ok, type Result } from '../../lib/result.ts';
import { resolveRealPath } from '../real-path.ts';
import { writeTree } from './changes.ts';
import { type IndexCopy, withIndexCopy } from './index-copy.ts';
import { findNested, type Nested } from './nested.ts';
import type { WorktreeRecord } from './record.ts';
import {
  bindGit,
  findAdministration,
  type Git,
  listCheckouts,
  readQuietly,
  type WorktreeWorld,
} from './repository.ts';
import { readStatus, type Status } from './status.ts';
import { describeUnfinished, findLoneHead, findUnfinished, type Unfinished } from './unfinished.ts';
import { countCommits, nameFiles } from './words.ts';

/** Everything in a worktree that could be lost with it. */
export interface Content {
  /** The commit that is checked out. */
  head: string;
  /** The commit of its own branch; empty where that is missing. */
  tip: string;
  /** The branch that is checked out; empty where none is. */
  on: string;
  /** The present files, except ignored ones. */
  tree: string;
  /**
   * Parts of it that are neither in the commit nor in the files, or not meant to stay; and what to do about them. While there
   * is one, nothing of the worktree is landed, and only the user can have it removed.
   */
  obstacles: string[];
  hasSubmodules: boolean;
}

type Place = Pick<WorktreeRecord, 'path' | 'common' | 'branch' | 'main' | 'submodules'>;

export async function readWorktreeContent(place: Place, world: WorktreeWorld): Promise<Result<Content>> {
  const own = ownData(place);
  if (!own.ok) return own;
  const { path, branch } = place;
  const git = bindGit(world, path);
  const tip = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], { alsoGood: [1] });
  if (!tip.ok) return tip;
  return withIndexCopy(path, world, async (index) => {
    const status = await readStatus(git, index.file);
    if (!status.ok) return status;
    const { head, on } = status.value;
    if (head === '')
      return failure(
        `${path} has the branch ${on} checked out, which has no commit.`,
        `git checkout ${branch}`,
      );
    const around = { starts: place.submodules ?? {}, prefix: '' };
    const nested = await findNested(path, index.entries, status.value, world, around);
    if (!nested.ok) return nested;
    const strayed = await findStrayed(place, tip.value.trim(), status.value, git);
    if (!strayed.ok) return strayed;
    const isOver = await isPickOver(own.value, status.value, git);
    const begun = describeBegun(isOver ? undefined : findUnfinished(own.value), status.value);
    // A rebase leaves the branch anyway: reporting that too would mislead.
    const obstacles = [...begun, ...nested.value.obstacles, ...(begun.length > 0 ? [] : strayed.value)];
    const tree = await writeWorktreeTree(git, index, nested.value);
    if (!tree.ok) return tree;
    const { hasSubmodules } = nested.value;
    return ok({ head, tip: tip.value.trim(), on, tree: tree.value, obstacles, hasSubmodules });
  });
}

/** Git's data of a worktree, where the worktree leads to them: otherwise everything git says there is about another one. */
function ownData({ path, common, main, branch }: Place): Result<string> {
  const own = findAdministration(common, path);
  if (own === undefined)
    return failure(
      `Git no longer lists ${path} as a worktree.`,
      `Committed work is on the branch ${branch}; save anything else you need, then drop it.`,
    );
  const link = join(path, '.git');
  const isFile = lstatSync(link, { throwIfNoEntry: false })?.isFile() === true;
  const named = isFile ? /^gitdir: ([\s\S]+?)\n*$/.exec(readQuietly(link) ?? '')?.[1] : undefined;
  if (named !== undefined && resolveRealPath(resolve(path, named)) === resolveRealPath(own)) return ok(own);
  return failure(
    `${link} does not point to the data of this worktree.`,
    `Run git worktree repair in ${main} to fix it${isFile ? '' : ', after moving aside what is in its place'}.`,
  );
}

/** Whether a commit that is said to be picked has left nothing to finish: no change at all, or one that HEAD has already. */
async function isPickOver(own: string, { head, unmerged, isClean }: Status, git: Git): Promise<boolean> {
  const commit = findLoneHead(own);
  if (commit === undefined || unmerged.length > 0) return false;
  if (isClean) return true;
  // `-` before its name: HEAD has a commit with the same change.
  const compared = await git(['cherry', head, commit, `${commit}^`]);
  return compared.ok && !compared.value.startsWith('+');
}

function describeBegun(found: Unfinished | undefined, { unmerged, stagedOnly }: Status): string[] {
  if (found) return [describeUnfinished(found, nameFiles(unmerged))];
  if (unmerged.length > 0)
    return [`conflicts are not resolved in ${nameFiles(unmerged)}: resolve them and git add them`];
  if (stagedOnly.length === 0) return [];
  const are =
    stagedOnly.length === 1
      ? 'has staged content that differs from'
      : 'have staged content that differs from';
  return [
    `${nameFiles(stagedOnly)} ${are} the working tree: git add --all uses the files, git commit the staged content`,
  ];
}

/** Its branch is not checked out, so one or the other would not be landed. */
async function findStrayed(
  { branch, path }: Place,
  tip: string,
  { head, on }: Status,
  git: Git,
): Promise<Result<string[]>> {
  if (tip !== '' && tip !== head) {
    const ahead = await git(['rev-list', '--count', `${head}..${tip}`]);
    if (!ahead.ok) return ahead;
    const count = Number(ahead.value);
    if (count > 0)
      return ok([
        `its branch ${branch} holds ${countCommits(count)} that ${count === 1 ? 'is' : 'are'} not checked out: ` +
          `git checkout ${branch} returns to it, git checkout -B ${branch} moves it to what is checked out`,
      ]);
  }
  if (on === '' || on === branch) return ok([]);
  const checkouts = await listCheckouts(git);
  if (!checkouts.ok) return checkouts;
  const other = checkouts.value.find((one) => one.branch === on && one.path !== path);
  if (!other) return ok([]);
  return ok([
    `it has ${on} checked out, like ${other.path}, and becomes outdated when that branch moves: run git checkout -B ${branch} to put it back on its own branch`,
  ]);
}

/** One that contains repositories is only read: parts of them that git cannot add are left out. */
async function writeWorktreeTree(
  git: Git,
  { file }: IndexCopy,
  { obstacles, unreported }: Nested,
): Promise<Result<string>> {
  const whole = await writeTree(git, file, '--all', unreported);
  return whole.ok || obstacles.length === 0 ? whole : writeTree(git, file, '--update', unreported);
}
