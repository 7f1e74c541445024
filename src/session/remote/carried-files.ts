import { existsSync } from 'node:fs';
import { ok, type Result } from '../../lib/result.ts';
import type { CarriedFiles, CarriedWorktree } from '../../remote/steps.ts';
import { carriedCommit, commitTree } from '../../workspace/worktrees/carry.ts';
import { snapshotTree } from '../../workspace/worktrees/changes.ts';
import { createWorktree } from '../../workspace/worktrees/create.ts';
import type { RefuseFile } from '../../workspace/worktrees/left-out.ts';
import { listRecords, type WorktreeRecord, writeRecord } from '../../workspace/worktrees/record.ts';
import { releaseWorktree } from '../../workspace/worktrees/remove.ts';
import { bindGit, type WorktreeWorld } from '../../workspace/worktrees/repository.ts';

/** A checkout with the worktrees that agents of a session have beside it. */
export interface CarriedPart {
  top: string;
  /** The git directory that they share. */
  common: string;
  session: string;
  /** Why a changed file of the checkout stays where it is. */
  refuses?: RefuseFile | undefined;
}

export interface CarriedCheckout extends CarriedFiles {
  /** Has all of them in its history, and the checkout's files itself. */
  commit: string;
  /** What stays, in words. */
  notes: string[];
}

/** All files that are not ignored, committed or not, as commits. Neither checkout nor index is touched. */
export async function readCarried(part: CarriedPart, world: WorktreeWorld): Promise<Result<CarriedCheckout>> {
  const head = await bindGit(world, part.top)(['rev-parse', 'HEAD']);
  if (!head.ok) return head;
  const commit = head.value.trim();
  const whose = 'a session that moves';
  const own = await carriedCommit({ top: part.top, head: commit, whose }, world, part.refuses);
  if (!own.ok) return own;
  const { commit: tip, notes } = own.value;
  const worktrees: CarriedWorktree[] = [];
  for (const record of listWorktrees(part, world)) {
    const found = await readFiles(record.path, world);
    if (!found.ok) return found;
    worktrees.push(describeWorktree(record, found.value));
  }
  if (worktrees.length === 0) return ok({ commit: tip, head: commit, tip, worktrees, notes });
  const tree = await bindGit(world, part.top)(['rev-parse', `${tip}^{tree}`]);
  if (!tree.ok) return tree;
  const parents = [...new Set([tip, ...worktrees.map((one) => one.tip)])];
  const all = await commitTree(
    { tree: tree.value.trim(), parents, message: 'Files of a session' },
    part.top,
    world,
  );
  return all.ok ? ok({ commit: all.value, head: commit, tip, worktrees, notes }) : all;
}

/** The same for as long as no file of any of them is another. */
export async function nameState(part: CarriedPart, world: WorktreeWorld): Promise<Result<string>> {
  const states: string[] = [];
  for (const path of [part.top, ...listWorktrees(part, world).map((record) => record.path)]) {
    const head = await bindGit(world, path)(['rev-parse', 'HEAD']);
    const tree = head.ok ? await snapshotTree(path, world) : head;
    if (!head.ok || !tree.ok) return head.ok ? tree : head;
    states.push(`${path} ${head.value.trim()} ${tree.value}`);
  }
  return ok(states.join('\n'));
}

/** What is checked out in a worktree and all of its files, as commits. */
export async function readFiles(
  path: string,
  world: WorktreeWorld,
): Promise<Result<{ head: string; tip: string }>> {
  const git = bindGit(world, path);
  const head = await git(['rev-parse', 'HEAD', 'HEAD^{tree}']);
  if (!head.ok) return head;
  const [commit = '', committed = ''] = head.value.trim().split('\n');
  const tree = await snapshotTree(path, world);
  if (!tree.ok) return tree;
  if (tree.value === committed) return ok({ head: commit, tip: commit });
  const made = await commitTree(
    { tree: tree.value, parents: [commit], message: 'Files of a remote agent' },
    path,
    world,
  );
  return made.ok ? ok({ head: commit, tip: made.value }) : made;
}

/** Those in which a session's agents have work. */
export function listWorktrees({ session, common }: CarriedPart, { home }: WorktreeWorld): WorktreeRecord[] {
  return listRecords(home, common).filter(
    (record) =>
      record.session === session && record.state === 'ready' && !record.scratch && existsSync(record.path),
  );
}

function describeWorktree(
  { slug, base, carries, agentId, agentName, title, stands, workspace, createdAt }: WorktreeRecord,
  { head, tip }: { head: string; tip: string },
): CarriedWorktree {
  return {
    ...{ slug, base, head, tip, agentId, createdAt },
    ...(carries ? { carries } : {}),
    ...(agentName === undefined ? {} : { agentName }),
    ...(title === undefined ? {} : { title }),
    ...(stands === undefined ? {} : { stands }),
    ...(workspace === undefined ? {} : { workspace }),
  };
}

/** Makes a worktree as it was elsewhere. No process has it. */
export async function placeWorktree(
  { top, session }: Pick<CarriedPart, 'top' | 'session'>,
  carried: CarriedWorktree,
  world: WorktreeWorld,
): Promise<Result<WorktreeRecord>> {
  const { slug, base, head, carries, agentId, agentName, title, stands, workspace, createdAt } = carried;
  const hasBase = (await bindGit(world, top)(['cat-file', '-e', `${base}^{commit}`])).ok;
  const made = await createWorktree(
    {
      ...{ cwd: top, slug, session, agentId, from: hasBase ? base : head },
      ...(carries ? { carries } : {}),
      ...(agentName === undefined ? {} : { agentName }),
      ...(title === undefined ? {} : { title }),
      started: { at: createdAt, ordinal: 1 },
      fill: { copyDirectories: [], linkDirectories: [], sandboxed: false },
    },
    world,
  );
  if (!made.ok) return made;
  const record = { ...made.value.record, base, stands, workspace };
  const noted = writeRecord(world.home, record);
  const filled = noted.ok ? await checkOut(record.path, carried, world) : noted;
  const released = filled.ok ? await releaseWorktree(record, world) : filled;
  return released.ok ? ok({ ...record, owner: null }) : released;
}

/** Whether a checkout has the files of a commit now, and nothing else. */
export async function hasFiles(
  path: string,
  wanted: { head?: string; tip: string },
  world: WorktreeWorld,
): Promise<boolean> {
  const now = await readFiles(path, world);
  if (!now.ok || (wanted.head !== undefined && now.value.head !== wanted.head)) return false;
  const same = await bindGit(world, path)(['diff', '--quiet', now.value.tip, wanted.tip, '--']);
  return same.ok;
}

/** The commits on the branch, and the files beyond them as changes that are not committed. */
export async function checkOut(
  path: string,
  { head, tip }: { head: string; tip: string },
  world: WorktreeWorld,
): Promise<Result<void>> {
  const git = bindGit(world, path);
  const files = await git(['reset', '--quiet', '--hard', tip]);
  if (!files.ok || head === tip) return files.ok ? ok(undefined) : files;
  const commits = await git(['reset', '--quiet', head]);
  return commits.ok ? ok(undefined) : commits;
}
