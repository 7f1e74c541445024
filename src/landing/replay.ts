import { failure, ok, type Result } from '../lib/result.ts';
import { commitTree } from '../workspace/worktrees/carry.ts';
import { explainUnfiltered } from '../workspace/worktrees/filtered.ts';
import { bindGit, type Git } from '../workspace/worktrees/repository.ts';
import { findWorkStart } from '../workspace/worktrees/start.ts';
import type { Candidate } from './candidates.ts';
import { explainDenied } from './denied-paths.ts';
import { mergeTree, type ThreeWay } from './merge-tree.ts';
import { listTouched, openTouched } from './touched.ts';
import type { Conflict, Ground } from './types.ts';
import { explainUnusableNames } from './unusable-names.ts';
import { composeWork, signWork } from './work-message.ts';

export type Replayed =
  /** `protected`: files that one of its commits changes and from which other programs read code or settings. */
  | { kind: 'landed'; commit: string; commits: number; protected: string[] }
  | { kind: 'empty' }
  /** `with`: what it conflicts with, where that is not the target. */
  | { kind: 'conflict'; conflicts: Conflict[]; with?: string };

/** Puts a worktree's commits onto another commit, one by one, as a rebase would; in the object store alone. */
export async function replay(
  candidate: Candidate,
  onto: string,
  target: { branch: string; commit: string },
  ground: Ground,
): Promise<Result<Replayed>> {
  const git = bindGit(ground.world, ground.repository.top);
  const start = await findWorkStart(candidate.record, candidate.tip, target.commit, git);
  if (!start.ok) return start;
  const unusable = await explainUnusableNames(git, start.value, candidate.tip);
  if (!unusable.ok) return unusable;
  if (unusable.value !== undefined) return failure(unusable.value);
  const listed = await git([
    'rev-list',
    '--reverse',
    '--topo-order',
    '--parents',
    `${start.value}..${candidate.tip}`,
  ]);
  if (!listed.ok) return listed;
  const rows = listed.value
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => row.split(' '));
  // Work that contains merges is brought over as one commit: conflicts they resolved stay resolved.
  const isPlain = rows.every((row) => row.length === 2);
  const steps = isPlain
    ? rows.map(([commit = '', parent = '']) => ({ commit, parent }))
    : [{ commit: candidate.tip, parent: start.value }];
  let head = onto;
  let commits = 0;
  const touched = new Set<string>();
  const findTouched = openTouched(ground);
  const names = { ours: target.branch, theirs: candidate.name };
  for (const { commit, parent } of steps) {
    const merged = await mergeTree({ base: parent, ours: head, theirs: commit, names }, ground);
    if (!merged.ok) return merged;
    if (!merged.value.clean) {
      // As one commit, by a pull request for instance, it may be there already.
      const whole = { base: start.value, ours: onto, theirs: candidate.tip, names };
      if (steps.length > 1 && (await addsNothing(whole, ground))) return ok({ kind: 'empty' });
      const { conflicts } = merged.value;
      const isCarried = await findCarried(candidate.record, start.value, git);
      const isUsers = conflicts.every(({ path }) => isCarried.has(path));
      return ok({ kind: 'conflict', conflicts, ...(isUsers ? { with: usersChanges } : {}) });
    }
    if (merged.value.ours === merged.value.tree) continue;
    const isAgents = isPlain && (commit !== candidate.tip || candidate.isCommitted);
    const copied = { commit, tree: merged.value.tree, parent: head, candidate, isAgents };
    const made = await copyCommit(copied, ground);
    if (!made.ok) return made;
    // Commit by commit: a file that a later commit removes again stays in the history and can be checked out.
    const found = await findTouched(head, made.value);
    if (!found.ok) return found;
    const { denied } = found.value;
    if (denied.length > 0 && ground.refuseProtected) return failure(explainDenied(denied));
    for (const path of listTouched(found.value)) touched.add(path);
    head = made.value;
    commits++;
  }
  if (commits === 0) return ok({ kind: 'empty' });
  // By the attributes there, which the work may not have had when it was made.
  const unfiltered = await explainUnfiltered(
    { path: candidate.record.path, from: onto, to: head },
    ground.world,
  );
  if (!unfiltered.ok) return unfiltered;
  if (unfiltered.value !== undefined) return failure(unfiltered.value);
  return ok({ kind: 'landed', commit: head, commits, protected: [...touched].sort() });
}

async function addsNothing(sides: ThreeWay, ground: Ground): Promise<boolean> {
  const merged = await mergeTree(sides, ground);
  return merged.ok && merged.value.clean && merged.value.tree === merged.value.ours;
}

export const usersChanges = 'your uncommitted changes';

/** The files with changes of the user that the worktree began with and the target does not have. */
async function findCarried(
  { carries, base }: Candidate['record'],
  start: string,
  git: Git,
): Promise<ReadonlySet<string>> {
  if (!carries || start !== base) return new Set();
  const listed = await git(['diff', '--name-only', '-z', '--no-renames', `${base}^`, base, '--']);
  return new Set(listed.ok ? listed.value.split('\0') : []);
}

interface CopiedCommit {
  commit: string;
  tree: string;
  parent: string;
  candidate: Candidate;
  /** Whether its message is the agent's: otherwise the commit was made here, of all that was left or merged. */
  isAgents: boolean;
}

async function copyCommit(
  { commit, tree, parent, candidate: { record }, isAgents }: CopiedCommit,
  { repository, world, findReport }: Ground,
): Promise<Result<string>> {
  const shown = await bindGit(
    world,
    repository.top,
  )(['show', '-s', '--format=%an%x00%ae%x00%aI%x00%B', commit]);
  if (!shown.ok) return shown;
  const [name = '', email = '', date = '', message = ''] = shown.value.split('\0');
  const text = !isAgents
    ? composeWork(record, await findReport?.(record))
    : message.trim() === ''
      ? composeWork(record)
      : signWork(message, record);
  return commitTree(
    { tree, parents: [parent], message: text, author: { name, email, date } },
    repository.top,
    world,
  );
}
