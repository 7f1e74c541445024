import { ok, type Result } from '../../lib/result.ts';
import { commitTree } from './carry.ts';
import { type LandedPart, readRecord, type WorktreeRecord, writeRecord } from './record.ts';
import { holdRepository } from './remove.ts';
import { bindGit, type Git, type WorktreeWorld } from './repository.ts';

type Work = { head: string; tree: string };

/** What a record says about work of it that landed. */
export type LandedNotes = Pick<WorktreeRecord, 'landed' | 'landing'>;

const maxCommits = 200;

/**
 * The part of a worktree's work that a branch has already, where the rest was done on top of it. Undefined where it has landed
 * elsewhere, was merged back, or where a file of it was put back since: that would undo it on the branch.
 */
export async function findLandedPart(
  notes: LandedNotes,
  { head, tree }: Work,
  target: string,
  git: Git,
): Promise<LandedPart | undefined> {
  const landed = await pickLanded(notes, target, git);
  const isAncestor = async (a: string, b: string) => (await git(['merge-base', '--is-ancestor', a, b])).ok;
  if (!landed || (await isAncestor(landed.commit, head))) return undefined;
  if (!(await isAncestor(landed.head, head))) return undefined;
  const [then, now] = await Promise.all(
    [landed.tip, tree].map((end) =>
      git(['diff', '--name-only', '-z', '--no-renames', landed.head, end, '--']),
    ),
  );
  if (!then?.ok || !now?.ok) return undefined;
  const left = new Set(now.value.split('\0'));
  return then.value.split('\0').every((path) => left.has(path)) ? landed : undefined;
}

/** The newest note whose commit the branch has. */
export async function pickLanded(
  { landed, landing }: LandedNotes,
  target: string,
  git: Git,
): Promise<LandedPart | undefined> {
  for (const part of [landing, landed])
    if (part && (await git(['merge-base', '--is-ancestor', part.commit, target])).ok) return part;
  return undefined;
}

/**
 * All that is in a worktree as one commit on top of its commits. Where a part has landed that was not committed then, commits
 * since are put on top of that part: they have it too, and would conflict with it.
 */
export async function commitWork(
  { path }: Pick<WorktreeRecord, 'path'>,
  { head, tree, message, part }: Work & { message: string; part: LandedPart | undefined },
  world: WorktreeWorld,
): Promise<Result<string>> {
  const git = bindGit(world, path);
  const parent = part && part.tip !== part.head ? await graft(part, head, path, world) : ok(head);
  if (!parent.ok) return parent;
  const committed = await git(['rev-parse', `${parent.value}^{tree}`]);
  if (!committed.ok) return committed;
  if (committed.value.trim() === tree) return parent;
  return commitTree({ tree, parents: [parent.value], message }, path, world);
}

async function graft(
  { head: from, tip }: LandedPart,
  head: string,
  path: string,
  world: WorktreeWorld,
): Promise<Result<string>> {
  const git = bindGit(world, path);
  const listed = await git(['rev-list', '--reverse', '--topo-order', '--parents', `${from}..${head}`]);
  if (!listed.ok) return listed;
  const rows = listed.value.split('\n').flatMap((row) => (row === '' ? [] : [row.split(' ')]));
  if (rows.length > maxCommits || rows.some((row) => row.length !== 2)) return ok(head);
  let parent = tip;
  for (const [commit = ''] of rows) {
    const shown = await git(['show', '-s', '--format=%T%x00%an%x00%ae%x00%aI%x00%B', commit]);
    if (!shown.ok) return shown;
    const [tree = '', name = '', email = '', date = '', message = ''] = shown.value.split('\0');
    const author = { name, email, date };
    const made = await commitTree({ tree, parents: [parent], message, author }, path, world);
    if (!made.ok) return made;
    parent = made.value;
  }
  return ok(parent);
}

/** Notes in the record of a worktree what of it is about to land (`landing`), or has landed although it stays. */
export async function noteLanded(
  { common, slug, createdAt }: WorktreeRecord,
  notes: LandedNotes,
  world: WorktreeWorld,
): Promise<Result<void>> {
  const held = await holdRepository(common, world);
  if (!held.ok) return held;
  try {
    const now = readRecord(world.home, common, slug);
    return now?.createdAt === createdAt ? writeRecord(world, { ...now, ...notes }) : ok(undefined);
  } finally {
    held.value();
  }
}
