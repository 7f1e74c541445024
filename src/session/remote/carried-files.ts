import { existsSync } from 'node:fs';
import { failure, ok, type Result } from '../../lib/result.ts';
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
  const whose = 'a session that moves';
  const own = await carriedCommit({ top: part.top, head: head.value.trim(), whose }, world, part.refuses);
  if (!own.ok) return own;
  const states = await readStates(part, world);
  if (!states.ok) return states;
  const { commit: tip, notes } = own.value;
  return joinStates(part, { head: head.value.trim(), tip, notes }, states.value.slice(1), world);
}

/** A checkout or a worktree as it is. */
interface FileState {
  path: string;
  record: WorktreeRecord | undefined;
  head: string;
  tree: string;
}

/** All of them as they are, the checkout first. */
export async function readStates(part: CarriedPart, world: WorktreeWorld): Promise<Result<FileState[]>> {
  const states: FileState[] = [];
  for (const record of [undefined, ...listWorktrees(part, world)]) {
    const state = await readState(record?.path ?? part.top, record, world);
    if (state.ok) states.push(state.value);
    // Its agent has ended meanwhile with nothing in it, and it was removed.
    else if (!record || listWorktrees(part, world).some(({ slug }) => slug === record.slug)) return state;
  }
  return ok(states);
}

async function readState(
  path: string,
  record: WorktreeRecord | undefined,
  world: WorktreeWorld,
): Promise<Result<FileState>> {
  const head = await bindGit(world, path)(['rev-parse', 'HEAD']);
  if (!head.ok) return head;
  const tree = await snapshotTree(path, world);
  return tree.ok ? ok({ path, record, head: head.value.trim(), tree: tree.value }) : tree;
}

/** The same for as long as no file of any of them is another. */
export function nameStates(states: readonly FileState[]): string {
  return states.map(({ path, head, tree }) => `${path} ${head} ${tree}`).join('\n');
}

/** Files that were read, as commits. */
export async function commitStates(
  part: CarriedPart,
  [own, ...others]: readonly FileState[],
  world: WorktreeWorld,
): Promise<Result<CarriedCheckout>> {
  if (!own) return failure(`${part.top} was not read.`);
  const tip = await commitState(own, part.top, world);
  return tip.ok ? joinStates(part, { head: own.head, tip: tip.value, notes: [] }, others, world) : tip;
}

/** In any directory of the same repository: what was read may be gone by now. */
async function commitState(
  { head, tree }: Pick<FileState, 'head' | 'tree'>,
  cwd: string,
  world: WorktreeWorld,
): Promise<Result<string>> {
  const before = await bindGit(world, cwd)(['rev-parse', `${head}^{tree}`]);
  if (!before.ok) return before;
  if (before.value.trim() === tree) return ok(head);
  return commitTree({ tree, parents: [head], message: 'Files of a remote agent' }, cwd, world);
}

async function joinStates(
  { top }: CarriedPart,
  { head, tip, notes }: Pick<CarriedCheckout, 'head' | 'tip' | 'notes'>,
  others: readonly FileState[],
  world: WorktreeWorld,
): Promise<Result<CarriedCheckout>> {
  const worktrees: CarriedWorktree[] = [];
  for (const state of others) {
    const commit = await commitState(state, top, world);
    if (!commit.ok) return commit;
    if (state.record) worktrees.push(describeWorktree(state.record, { head: state.head, tip: commit.value }));
  }
  if (worktrees.length === 0) return ok({ commit: tip, head, tip, worktrees, notes });
  const tree = await bindGit(world, top)(['rev-parse', `${tip}^{tree}`]);
  if (!tree.ok) return tree;
  const parents = [...new Set([tip, ...worktrees.map((one) => one.tip)])];
  const message = 'Files of a session';
  const all = await commitTree({ tree: tree.value.trim(), parents, message }, top, world);
  return all.ok ? ok({ commit: all.value, head, tip, worktrees, notes }) : all;
}

/** What is checked out in a worktree and all of its files, as commits. */
export async function readFiles(
  path: string,
  world: WorktreeWorld,
): Promise<Result<{ head: string; tip: string }>> {
  const state = await readState(path, undefined, world);
  if (!state.ok) return state;
  const tip = await commitState(state.value, path, world);
  return tip.ok ? ok({ head: state.value.head, tip: tip.value }) : tip;
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
  const noted = writeRecord(world, record);
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
